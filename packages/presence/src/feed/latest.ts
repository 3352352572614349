/** What is to be written, made at the last moment; `undefined` where nothing is to be said after all. */
export type Frame = () => string | undefined;

/**
 * Writes one thing after the other, each as it is when its turn comes. What waits behind a slow reader is not a queue: of
 * each name only the latest is kept.
 */
export class LatestWriter {
  private readonly waiting = new Map<string, Frame>();
  private writing = false;

  /** @param write resolves when the reader can take more */
  constructor(private readonly write: (text: string) => Promise<void>) {}

  offer(name: string, frame: Frame): void {
    this.waiting.set(name, frame);
    if (!this.writing) void this.drain();
  }

  /** Whether something waits for the reader. */
  get isBusy(): boolean {
    return this.writing;
  }

  private async drain(): Promise<void> {
    this.writing = true;
    for (let next = this.next(); next; next = this.next()) {
      const text = next();
      if (text !== undefined) await this.write(text).catch(() => this.waiting.clear());
    }
    this.writing = false;
  }

  private next(): Frame | undefined {
    const [first] = this.waiting;
    if (!first) return undefined;
    this.waiting.delete(first[0]);
    return first[1];
  }
}
