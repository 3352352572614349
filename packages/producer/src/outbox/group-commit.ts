import type { Log } from '../log.js';
import { type AttemptClock, type Store, StoreLostWrites, type StoreStep, StoreTakenOver } from '../store/store.js';
import type { Time } from '../time.js';
import { backoffMs } from './backoff.js';

/** Whether what happens can be kept. */
export type Health =
  | { readonly kind: 'ok' }
  /** The store does not answer, or fails: nothing is sent, what happens is held in memory, and it is tried again. */
  | { readonly kind: 'degraded'; readonly reason: string }
  /** Another instance works with the store: this one does nothing any more. */
  | { readonly kind: 'taken-over'; readonly reason: string };

export interface GroupCommitOptions {
  readonly store: Store;
  readonly time: Time;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Everything there is, for a store that has lost some of it. */
  readonly restate: () => StoreStep[];
  readonly onHealth: (health: Health) => void;
}

/** What is to be kept together, and who waits for it. */
interface Batch {
  readonly steps: StoreStep[];
  readonly done: (() => void)[];
  readonly attempted: ((clock: AttemptClock) => void)[];
}

const newBatch = (): Batch => ({ steps: [], done: [], attempted: [] });

/** After how long without an answer the store is called out, ms. */
const SLOW_MS = 2000;

/**
 * The store's one writer: what comes up in one turn of the event loop, and while a commit was under way, is one commit.
 * One that fails is made again, with nothing before it and nothing after, until the store takes it.
 */
export class GroupCommit {
  private next = newBatch();
  private scheduled = false;
  private committingSince: number | undefined;
  private watching = false;
  private health: Health = { kind: 'ok' };
  private failures = 0;
  private closed = false;
  private readonly idle: (() => void)[] = [];

  constructor(private readonly options: GroupCommitOptions) {
    options.store.onTakenOver?.((error) => this.stop(error));
  }

  /** @param done called when the step, and whatever was added before it, is kept */
  add(step: StoreStep, done?: () => void): void {
    this.next.steps.push(step);
    if (done) this.next.done.push(done);
    this.schedule();
  }

  /** @param done called when whatever was added before this is kept; something was */
  whenKept(done: () => void): void {
    this.next.done.push(done);
  }

  /** Records an attempt. @param recorded called when it is kept, in the order of the attempts */
  attempt(step: Extract<StoreStep, { kind: 'attempt' }>, recorded: (clock: AttemptClock) => void): void {
    this.next.steps.push(step);
    this.next.attempted.push(recorded);
    this.schedule();
  }

  /** Resolves when nothing waits to be kept. */
  settled(): Promise<void> {
    if (!this.scheduled && this.committingSince === undefined) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  /** Commits what there is, if the store takes it now, and nothing after it. */
  async close(): Promise<void> {
    if (this.health.kind === 'ok') await this.settled();
    this.closed = true;
  }

  private schedule(): void {
    if (this.scheduled || this.committingSince !== undefined || this.ended) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      void this.commit();
    });
  }

  private async commit(): Promise<void> {
    const batch = this.next;
    this.next = newBatch();
    const clocks = await this.keep(batch.steps);
    if (!clocks) return;
    for (const done of batch.done) done();
    for (const [i, recorded] of batch.attempted.entries()) recorded(clocks[i] as AttemptClock);
    // Not at once: what was recorded leaves first, and what has been answered meanwhile comes along.
    if (this.next.steps.length > 0) this.schedule();
    else for (const resolve of this.idle.splice(0)) resolve();
  }

  /** Commits `steps` however often it takes. @returns `undefined` when it never will */
  private async keep(steps: readonly StoreStep[]): Promise<AttemptClock[] | undefined> {
    const { store, time, random } = this.options;
    this.committingSince = time.monotonic();
    this.watch();
    let isLost = false;
    while (!this.ended) {
      // Said anew each time: how long ago an attempt was is part of it.
      const restated = isLost ? this.options.restate() : undefined;
      try {
        const clocks = await store.commit(restated ? [...restated, ...steps] : steps, isLost);
        this.committingSince = undefined;
        this.failures = 0;
        this.become({ kind: 'ok' });
        return restated ? clocks.slice(restated.filter(({ kind }) => kind === 'attempt').length) : clocks;
      } catch (error) {
        if (error instanceof StoreTakenOver) {
          this.stop(error);
        } else if (error instanceof StoreLostWrites && !isLost) {
          this.options.log.error({ reason: error.message }, 'the store has lost what it had kept; it is told again');
          isLost = true;
        } else {
          this.become({ kind: 'degraded', reason: (error as Error).message });
          await new Promise<void>((resolve) => time.after(backoffMs(this.failures++, random()), resolve));
        }
      }
    }
    return undefined;
  }

  private stop(error: StoreTakenOver): void {
    if (this.health.kind === 'taken-over') return;
    this.become({ kind: 'taken-over', reason: error.message });
    for (const resolve of this.idle.splice(0)) resolve();
  }

  private get ended(): boolean {
    return this.closed || this.health.kind === 'taken-over';
  }

  /** One timer, as long as commits are under way. */
  private watch(): void {
    if (this.watching) return;
    this.watching = true;
    this.options.time.after(SLOW_MS, () => {
      this.watching = false;
      if (this.committingSince === undefined) return;
      if (this.options.time.monotonic() - this.committingSince >= SLOW_MS)
        this.become({ kind: 'degraded', reason: `no answer for ${SLOW_MS} ms` });
      this.watch();
    });
  }

  private become(health: Health): void {
    const { kind } = this.health;
    if (kind === health.kind || kind === 'taken-over') return;
    this.health = health;
    this.options.onHealth(health);
  }
}
