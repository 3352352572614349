/** Runs tasks of one key one after the other, in the order they came; keys do not wait for each other. */
export class SerialByKey {
  private readonly tails = new Map<string, Promise<void>>();

  /** A task that throws does not stop those behind it; its error reaches the returned promise. */
  run(key: string, task: () => Promise<void>): Promise<void> {
    const done = (this.tails.get(key) ?? Promise.resolve()).then(task);
    const tail = done.catch(() => {});
    this.tails.set(key, tail);
    void tail.then(() => {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    });
    return done;
  }

  /** Resolves when everything that was handed over has run. */
  async idle(): Promise<void> {
    while (this.tails.size > 0) await Promise.all(this.tails.values());
  }
}
