import type { AttemptClock, DeadLetter, Store, Stored, StoreStep, StoreTakenOver } from './store.js';

/** A store that is still being opened: whatever is asked of it waits, so that a host can be greeted meanwhile. */
export class PendingStore implements Store {
  private opened: Store | undefined;

  constructor(private readonly opening: Promise<Store>) {
    // Whoever opens it deals with a failure; those who wait are told by what they asked.
    opening.then(
      (store) => {
        this.opened = store;
      },
      () => {},
    );
  }

  async load(): Promise<Stored> {
    return (await this.opening).load();
  }

  async commit(steps: readonly StoreStep[], isRestated?: boolean): Promise<AttemptClock[]> {
    return (this.opened ?? (await this.opening)).commit(steps, isRestated);
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    return (await this.opening).deadLetters(limit);
  }

  async read(key: string): Promise<unknown> {
    return (this.opened ?? (await this.opening)).read(key);
  }

  onTakenOver(listener: (error: StoreTakenOver) => void): void {
    this.opening.then(
      (store) => store.onTakenOver?.(listener),
      () => {},
    );
  }

  /** Closes what is open. What is not open yet is its opener's to give up. */
  async close(): Promise<void> {
    await this.opened?.close();
  }
}
