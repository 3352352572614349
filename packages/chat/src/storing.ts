/** Most occurrences that are being stored while others are already taken in. */
const LIMIT = 1000;

/**
 * What is being stored while the next events are already understood, so that the store may take many at once. Whoever
 * hands over more than it keeps up with waits for the oldest.
 */
export class Storing {
  private readonly under = new Set<Promise<void>>();

  constructor(
    private readonly onFailure: (error: Error) => void,
    private readonly limit = LIMIT,
  ) {}

  /** Resolves when there is room for another. */
  async add(storing: Promise<unknown>): Promise<void> {
    const done: Promise<void> = storing.then(
      () => void this.under.delete(done),
      (error: Error) => {
        this.under.delete(done);
        this.onFailure(error);
      },
    );
    this.under.add(done);
    while (this.under.size >= this.limit) await this.oldest();
  }

  /** Resolves when nothing is being stored. */
  async idle(): Promise<void> {
    while (this.under.size > 0) await Promise.all(this.under);
  }

  private async oldest(): Promise<void> {
    const [oldest] = this.under;
    await oldest;
  }
}
