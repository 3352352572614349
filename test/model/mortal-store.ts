import type { Store } from '@mcpl-bridges/producer';

const METHODS = ['load', 'commit', 'deadLetters', 'read'] as const;

/**
 * A store that goes away and comes back, as Redis does: calls wait meanwhile, and some have been done before their answer
 * is lost on the way.
 */
export class StoreService {
  private away: Promise<void> | undefined;
  private back: () => void = () => {};
  private losesAnswers = false;

  /** @param open what a new process has of it */
  constructor(private readonly open: () => Store) {}

  /** @param losesAnswers calls still reach it; only what it says does not come back */
  goAway(losesAnswers: boolean): void {
    this.losesAnswers = losesAnswers;
    this.away ??= new Promise((resolve) => {
      this.back = resolve;
    });
  }

  comeBack(): void {
    this.away = undefined;
    this.back();
  }

  /** One process's connection; nothing happens through it once the process is dead. */
  connect(): { readonly store: Store; kill(): void } {
    const kept = this.open();
    let dead = false;
    const never = new Promise<never>(() => {});
    const through =
      (method: (typeof METHODS)[number]) =>
      async (...args: never[]): Promise<unknown> => {
        while (this.away && !this.losesAnswers) await this.away;
        if (dead) return never;
        const result = await (kept[method] as (...args: never[]) => Promise<unknown>)(...args);
        while (this.away) await this.away;
        // What it did is done; the answer reaches nobody any more.
        return dead ? never : result;
      };
    const store = Object.fromEntries(METHODS.map((method) => [method, through(method)])) as unknown as Store;
    return {
      store: Object.assign(store, { close: async () => {} }),
      kill: () => {
        dead = true;
      },
    };
  }
}
