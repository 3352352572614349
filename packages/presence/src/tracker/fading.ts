interface Entry {
  readonly place: string;
  readonly userId: string;
  readonly until: number;
}

const nameOf = (place: string, userId: string): string => `${place}\n${userId}`;

/** Who is somewhere for a fixed time after they were last seen there. Nothing here costs more with more entries. */
export class Fading {
  /** In the order in which they end: each lasts equally long, and moves to the end when it is seen again. */
  private readonly queue = new Map<string, Entry>();
  private readonly places = new Map<string, Set<string>>();

  constructor(private readonly lastsMs: number) {}

  /** @returns whether it is new there */
  see(place: string, userId: string, now: number): boolean {
    const name = nameOf(place, userId);
    const isNew = !this.queue.delete(name);
    this.queue.set(name, { place, userId, until: now + this.lastsMs });
    const users = this.places.get(place) ?? new Set();
    this.places.set(place, users.add(userId));
    return isNew;
  }

  /** @returns whether it was there */
  drop(place: string, userId: string): boolean {
    const users = this.places.get(place);
    if (!users?.delete(userId)) return false;
    if (users.size === 0) this.places.delete(place);
    return this.queue.delete(nameOf(place, userId));
  }

  dropAll(place: string): void {
    for (const userId of this.at(place)) this.drop(place, userId);
  }

  has(place: string, userId: string): boolean {
    return this.places.get(place)?.has(userId) ?? false;
  }

  /** Who is there. */
  at(place: string): readonly string[] {
    return [...(this.places.get(place) ?? [])];
  }

  /** Takes out whose time is over. @returns where they were */
  expire(now: number): readonly string[] {
    const left: string[] = [];
    for (const { place, userId, until } of this.queue.values()) {
      if (until > now) break;
      this.drop(place, userId);
      left.push(place);
    }
    return left;
  }

  /** When the next one's time is over; `undefined` where nobody is. */
  get nextEnd(): number | undefined {
    return this.queue.values().next().value?.until;
  }
}
