import { setTimeout as sleep } from 'node:timers/promises';
import { StoreTakenOver } from './store.js';

/** What a lease asks of Redis; the names of its scripts. */
export interface LeaseScripts {
  take(): Promise<[taken: 0 | 1, tokenOrHolder: number | string, leftMs?: number]>;
  renew(token: number): Promise<number>;
  give(token: number): Promise<unknown>;
}

export interface LeaseOptions {
  readonly leaseMs: number;
  /** Told once when another instance holds the lease, and for how long at most before it has to show itself, ms. */
  readonly onStandby?: ((holder: string, leftMs: number) => void) | undefined;
  /** Gives up waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** How often a standby looks whether the holder has gone, ms. */
const MAX_POLL_MS = 500;

/**
 * The right to work with a store: one instance has it, the others wait. It lasts as long as it is renewed; `token` is
 * larger than that of any holder before.
 */
export class RedisLease {
  private readonly timer: NodeJS.Timeout;
  private takenOver: StoreTakenOver | undefined;
  private listener: ((error: StoreTakenOver) => void) | undefined;

  private constructor(
    readonly token: number,
    private readonly scripts: LeaseScripts,
    leaseMs: number,
  ) {
    this.timer = setInterval(() => void this.renew(), leaseMs / 3).unref();
  }

  /** Resolves once the lease is ours. @throws the signal's reason */
  static async take(scripts: LeaseScripts, { leaseMs, onStandby, signal }: LeaseOptions): Promise<RedisLease> {
    for (let isTold = false; ; isTold = true) {
      const [taken, tokenOrHolder, leftMs = 0] = await scripts.take();
      if (taken === 1) return new RedisLease(Number(tokenOrHolder), scripts, leaseMs);
      if (!isTold) onStandby?.(String(tokenOrHolder), leftMs);
      await sleep(Math.min(MAX_POLL_MS, Math.max(10, leftMs + 10)), undefined, { signal });
    }
  }

  onTakenOver(listener: (error: StoreTakenOver) => void): void {
    this.listener = listener;
    if (this.takenOver) listener(this.takenOver);
  }

  async give(): Promise<void> {
    clearInterval(this.timer);
    await this.scripts.give(this.token);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async renew(): Promise<void> {
    // A Redis that is away renews nothing for anybody.
    const isOurs = await this.scripts.renew(this.token).catch(() => 1);
    if (isOurs !== 0 || this.takenOver) return;
    clearInterval(this.timer);
    this.takenOver = new StoreTakenOver(TAKEN_OVER);
    this.listener?.(this.takenOver);
  }
}

export const TAKEN_OVER =
  'another instance works with this store now: this one was silent for longer than its lease, or was started with the same binding';
