/** Requests that are under way, over all channels, of as many as there may be. */
export class Flights {
  private underWay = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly max: number) {}

  /** Takes a place. Where there is none, `again` is called once when there is one again, in its turn. */
  take(again: () => void): boolean {
    if (this.underWay >= this.max) {
      this.waiting.add(again);
      return false;
    }
    this.underWay += 1;
    return true;
  }

  give(): void {
    this.underWay -= 1;
    const [next] = this.waiting;
    if (!next) return;
    this.waiting.delete(next);
    next();
  }
}
