import { RequestFailure } from '@mcpl-bridges/transport';
import type { Log } from '../log.js';
import { fold } from '../occurrence/fold.js';
import type { Route } from '../occurrence/lane.js';
import { type Occurrence, subjectOf } from '../occurrence/occurrence.js';
import { toWire, type WireForm } from '../occurrence/wire-form.js';
import type { BurialReason, RecordWrite, Store, StoredEntry } from '../store/store.js';
import type { Time } from '../time.js';
import { backoffMs } from './backoff.js';
import { pastDeadline } from './deadline.js';
import { isRepeatable, judgeFailure, judgeResult, type Verdict } from './verdict.js';

/** How an occurrence ended. Says nothing of the host's outcome: no producer may act on that (RFC-006 §2). */
export type Settlement =
  | { readonly kind: 'delivered' }
  /** Taken up by a later occurrence of the same subject before anything was sent. */
  | { readonly kind: 'folded' }
  | { readonly kind: 'buried'; readonly reason: BurialReason };

/** The connection, as far as sending is concerned. */
export interface Sender {
  /** The route for `occurrence` now, or why it has to wait. */
  route(occurrence: Occurrence): Route | { readonly kind: 'wait' } | { readonly kind: 'refused' };
  /** Counts the policies that came, over all connections; what one of them refused waits for the next. */
  policyEpoch(): number;
  /** The retry window the host advertises now, ms. */
  retryWindowMs(): number;
  /** @throws RequestFailure */
  send(wire: WireForm, onLate: (result: Record<string, unknown>) => void): Promise<Record<string, unknown>>;
  registerAgain(channelId: string): Promise<void>;
}

export interface QueueContext {
  readonly store: Store;
  readonly sender: Sender;
  readonly time: Time;
  readonly random: () => number;
  readonly log: Log;
}

interface Queued {
  entry: StoredEntry;
  readonly settled: (settlement: Settlement) => void;
  /** An earlier process may have sent it, and nobody knows what became of that. */
  readonly restored: boolean;
  registeredAgain: boolean;
  refusedUnderPolicy: number | undefined;
  answeredLate: Record<string, unknown> | undefined;
}

const queue = (entry: StoredEntry, settled: Queued['settled'], restored: boolean): Queued => ({
  entry,
  settled,
  restored,
  registeredAgain: false,
  refusedUnderPolicy: undefined,
  answeredLate: undefined,
});

type Step = 'next' | 'stop' | { readonly pauseMs: number };

/**
 * One channel's occurrences, sent in order, one at a time: an edit never overtakes its create. The queue runs until it
 * is empty or something outside must change first (a session, a policy, a registration); `wake` starts it again.
 */
export class ChannelQueue {
  private readonly queued: Queued[] = [];
  private running = false;
  private wokenWhileRunning = false;
  private failures = 0;
  private callOffPause: (() => void) | undefined;

  constructor(private readonly context: QueueContext) {}

  get length(): number {
    return this.queued.length;
  }

  /** Takes up an entry that an earlier process left in the store. */
  restore(entry: StoredEntry): void {
    this.queued.push(queue(entry, () => {}, true));
  }

  /** Stores `occurrence`, folded into its subject's unsent one where there is one, and resolves once it is stored. */
  async add(
    occurrence: Occurrence,
    records: readonly RecordWrite[],
    settled: (settlement: Settlement) => void,
  ): Promise<void> {
    const { store } = this.context;
    const earlier = this.unsent(occurrence);
    const folded = earlier ? fold(earlier.entry.occurrence, occurrence) : undefined;
    if (earlier && folded?.kind === 'replace') {
      earlier.entry = { ...earlier.entry, occurrence: folded.occurrence };
      await store.amend(earlier.entry.seq, folded.occurrence, records);
      settled({ kind: 'folded' });
      return;
    }
    if (earlier && (folded?.kind === 'cancel' || folded?.kind === 'supersede')) {
      this.queued.splice(this.queued.indexOf(earlier), 1);
      await store.drop(earlier.entry.seq, folded.kind === 'cancel' ? records : []);
      earlier.settled({ kind: 'folded' });
      if (folded.kind === 'cancel') {
        settled({ kind: 'folded' });
        return;
      }
    }
    const entry = await store.append(occurrence, records);
    this.queued.push(queue(entry, settled, false));
    // News is no reason to try a failed head again before its pause is over.
    if (!this.callOffPause) this.wake();
  }

  /** Something outside has changed: try again now. */
  wake(): void {
    this.callOffPause?.();
    this.callOffPause = undefined;
    if (this.running) {
      this.wokenWhileRunning = true;
      return;
    }
    this.running = true;
    void this.run();
  }

  private pause(ms: number): void {
    this.callOffPause = this.context.time.after(ms, () => this.wake());
  }

  /** The subject's last occurrence, if it was never attempted. */
  private unsent(occurrence: Occurrence): Queued | undefined {
    const subject = subjectOf(occurrence);
    const last = this.queued.findLast((one) => subjectOf(one.entry.occurrence) === subject);
    return last && !last.entry.wire ? last : undefined;
  }

  private async run(): Promise<void> {
    try {
      while (this.queued.length > 0) {
        this.wokenWhileRunning = false;
        const step = await this.step();
        if (step === 'next') continue;
        if (step === 'stop' && this.wokenWhileRunning) continue;
        if (step !== 'stop') this.pause(step.pauseMs);
        return;
      }
    } catch (error) {
      const { message, stack } = error as Error;
      this.context.log.error(
        { reason: message, stack },
        'the outbox store failed; sending stops until the next change',
      );
    } finally {
      this.running = false;
    }
  }

  private async step(): Promise<Step> {
    const head = this.queued[0];
    if (!head) return 'stop';
    if (head.answeredLate) return this.follow(head, judgeResult(wireOf(head).method, head.answeredLate));
    if (head.restored && head.entry.wire && !isRepeatable(head.entry.wire))
      return this.follow(head, { kind: 'bury', reason: 'outcome_unknown' });
    if (head.refusedUnderPolicy === this.context.sender.policyEpoch()) return 'stop';
    const route = this.context.sender.route(head.entry.occurrence);
    if (route.kind === 'wait' || route.kind === 'held') return 'stop';
    if (route.kind === 'refused') return this.follow(head, { kind: 'bury', reason: 'channel_refused' });

    const wire = head.entry.wire ?? toWire(head.entry.occurrence, route);
    head.entry = { ...head.entry, wire };
    const clock = await this.context.store.attempt(head.entry.seq, wire, this.context.sender.retryWindowMs());
    const late = pastDeadline(clock);
    if (late) return this.follow(head, { kind: 'bury', reason: late });
    return this.follow(head, await this.send(head, wire));
  }

  private async send(head: Queued, wire: WireForm): Promise<Verdict> {
    try {
      const result = await this.context.sender.send(wire, (late) => {
        head.answeredLate = late;
        this.wake();
      });
      this.context.log.debug({ eventId: head.entry.occurrence.eventId, lane: wire.method, result }, 'answered');
      return judgeResult(wire.method, result);
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      return judgeFailure(error.cause, wire);
    }
  }

  private async follow(head: Queued, verdict: Verdict): Promise<Step> {
    const { occurrence } = head.entry;
    switch (verdict.kind) {
      case 'delivered':
        await this.context.store.settle(head.entry.seq);
        return this.leave(head, { kind: 'delivered' });
      case 'bury':
        await this.context.store.bury(head.entry.seq, verdict.reason);
        this.context.log.warn({ eventId: occurrence.eventId, reason: verdict.reason }, 'occurrence given up');
        return this.leave(head, { kind: 'buried', reason: verdict.reason });
      case 'await-policy':
        head.refusedUnderPolicy = this.context.sender.policyEpoch();
        return 'stop';
      case 'register-again':
        if (head.registeredAgain) return this.follow(head, { kind: 'bury', reason: 'channel_refused' });
        head.registeredAgain = true;
        await this.context.sender.registerAgain(occurrence.channelId);
        return 'next';
      case 'retry':
        return { pauseMs: backoffMs(this.failures++, this.context.random()) };
    }
  }

  private leave(head: Queued, settlement: Settlement): Step {
    this.failures = 0;
    this.queued.splice(this.queued.indexOf(head), 1);
    head.settled(settlement);
    return 'next';
  }
}

const wireOf = (queued: Queued): WireForm => {
  if (!queued.entry.wire) throw new Error(`occurrence ${queued.entry.occurrence.eventId} was never attempted`);
  return queued.entry.wire;
};
