interface Numbered {
  readonly entry: { readonly seq: number };
}

/** What may be sent next, in the order in which it was stored. Nearly always it comes and goes at the ends. */
export class ReadyList<T extends Numbered> {
  private items: (T | undefined)[] = [];
  private head = 0;

  get first(): T | undefined {
    return this.items[this.head];
  }

  shift(): void {
    // What was taken out must not be kept alive until the list moves up.
    this.items[this.head] = undefined;
    this.head += 1;
    // Now and then what is behind is let go, at a cost that is shared by as many.
    if (this.head < 1024 || this.head * 2 < this.items.length) return;
    this.items = this.items.slice(this.head);
    this.head = 0;
  }

  add(item: T): void {
    const last = this.items.length > this.head ? this.items.at(-1) : undefined;
    if (!last || last.entry.seq < item.entry.seq) {
      this.items.push(item);
      return;
    }
    let at = this.items.length;
    while (at > this.head && (this.items[at - 1] as T).entry.seq > item.entry.seq) at -= 1;
    if (at === this.head && this.head > 0) {
      this.head -= 1;
      this.items[this.head] = item;
    } else this.items.splice(at, 0, item);
  }

  remove(item: T): void {
    const at = this.items.indexOf(item, this.head);
    if (at !== -1) this.items.splice(at, 1);
  }
}
