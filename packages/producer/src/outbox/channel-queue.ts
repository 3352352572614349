import type { CoalescingLeaves } from '@mcpl-bridges/protocol';
import { RequestFailure } from '@mcpl-bridges/transport';
import type { Log } from '../log.js';
import { fold } from '../occurrence/fold.js';
import type { Route } from '../occurrence/lane.js';
import { type Occurrence, subjectOf } from '../occurrence/occurrence.js';
import { type Sendable, toWire, type WireForm } from '../occurrence/wire-form.js';
import type { BurialReason, RecordWrite, Store, StoredEntry } from '../store/store.js';
import type { Time } from '../time.js';
import { backoffMs } from './backoff.js';
import { pastDeadline } from './deadline.js';
import type { Flights } from './flights.js';
import { ReadyList } from './ready-list.js';
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
  /** What the host offers now. */
  leaves(): CoalescingLeaves | undefined;
  registerAgain(channelId: string): Promise<void>;
}

export interface QueueContext {
  readonly store: Store;
  readonly sender: Sender;
  readonly flights: Flights;
  readonly time: Time;
  readonly random: () => number;
  readonly log: Log;
  /** An occurrence has entered a queue, or left it. */
  readonly onLength: (change: 1 | -1) => void;
}

/**
 * Where an occurrence stands: it waits for what its subject sent before it; it is ready; it is under way, from the
 * moment its attempt is recorded until its answer is judged. What comes to nothing is ready again.
 */
interface Queued {
  entry: StoredEntry;
  /** Everyone who handed it over. */
  readonly settled: ((settlement: Settlement) => void)[];
  underWay: boolean;
  /** An earlier process may have sent it, and nobody knows what became of that. */
  readonly restored: boolean;
  registeredAgain: boolean;
  refusedUnderPolicy: number | undefined;
  answeredLate: Record<string, unknown> | undefined;
}

const queue = (entry: StoredEntry, settled: Queued['settled'], restored: boolean): Queued => ({
  entry,
  settled,
  underWay: false,
  restored,
  registeredAgain: false,
  refusedUnderPolicy: undefined,
  answeredLate: undefined,
});

const tell = ({ settled }: Queued, settlement: Settlement): void => {
  for (const one of settled) one(settlement);
};

/** What may happen with the next occurrence now. */
type Step =
  | { readonly kind: 'send'; readonly route: Sendable }
  | { readonly kind: 'follow'; readonly verdict: Verdict }
  /** Something outside must change first: a session, a policy, a registration. */
  | { readonly kind: 'wait' };

/**
 * One channel's occurrences. They leave in the order in which they were stored, many at once; a subject's next one only
 * when the host has answered for the one before, so that an edit never overtakes its create. After a failure the channel
 * pauses: what is behind does not run away from what has to be repeated. `wake` makes it look again.
 */
export class ChannelQueue {
  private readonly subjects = new Map<string, Queued[]>();
  private readonly ready = new ReadyList<Queued>();
  private failures = 0;
  private callOffPause: (() => void) | undefined;

  constructor(private readonly context: QueueContext) {}

  /** Takes up an entry that an earlier process left in the store. */
  restore(entry: StoredEntry): void {
    this.enqueue(queue(entry, [], true));
  }

  /** Stores `occurrence`, folded into its subject's unsent one where there is one, and resolves once it is stored. */
  async add(
    occurrence: Occurrence,
    records: readonly RecordWrite[],
    settled: (settlement: Settlement) => void,
  ): Promise<void> {
    const { store } = this.context;
    const same = this.subjects
      .get(subjectOf(occurrence))
      ?.find(({ entry }) => entry.occurrence.eventId === occurrence.eventId);
    if (same) {
      // Handed over again, by whoever does not know that it is here: its id is used only to repeat it.
      if (records.length > 0) await store.write(records);
      same.settled.push(settled);
      return;
    }
    const earlier = this.unsent(occurrence);
    const folded = earlier ? fold(earlier.entry.occurrence, occurrence) : undefined;
    if (earlier && folded?.kind === 'replace') {
      earlier.entry = { ...earlier.entry, occurrence: folded.occurrence };
      await store.amend(earlier.entry.seq, folded.occurrence, records);
      settled({ kind: 'folded' });
      return;
    }
    if (earlier && (folded?.kind === 'cancel' || folded?.kind === 'supersede')) {
      this.dequeue(earlier);
      await store.drop(earlier.entry.seq, folded.kind === 'cancel' ? records : []);
      tell(earlier, { kind: 'folded' });
      if (folded.kind === 'cancel') {
        settled({ kind: 'folded' });
        return;
      }
    }
    const entry = await store.append(occurrence, records);
    this.enqueue(queue(entry, [settled], false));
    this.pump();
  }

  /** Something outside has changed: look again now. */
  readonly wake = (): void => {
    this.callOffPause?.();
    this.callOffPause = undefined;
    this.pump();
  };

  private enqueue(queued: Queued): void {
    const subject = subjectOf(queued.entry.occurrence);
    const line = this.subjects.get(subject);
    if (line) line.push(queued);
    else {
      this.subjects.set(subject, [queued]);
      this.ready.add(queued);
    }
    this.context.onLength(1);
  }

  /** Takes an occurrence out; its subject's next one is ready. */
  private dequeue(queued: Queued): void {
    const subject = subjectOf(queued.entry.occurrence);
    const line = this.subjects.get(subject) ?? [];
    const wasFirst = line[0] === queued;
    line.splice(line.indexOf(queued), 1);
    if (!queued.underWay) this.ready.remove(queued);
    const [next] = line;
    if (!next) this.subjects.delete(subject);
    else if (wasFirst) this.ready.add(next);
    this.context.onLength(-1);
  }

  /** The subject's last occurrence, if it was never attempted. */
  private unsent(occurrence: Occurrence): Queued | undefined {
    const last = this.subjects.get(subjectOf(occurrence))?.at(-1);
    return last && !last.entry.wire && !last.underWay ? last : undefined;
  }

  private pump(): void {
    // News is no reason to try what has failed again before its pause is over.
    while (!this.callOffPause) {
      const head = this.ready.first;
      if (!head) return;
      const step = this.consider(head);
      if (step.kind === 'wait' || !this.context.flights.take(this.wake)) return;
      this.ready.shift();
      head.underWay = true;
      void this.take(head, step);
    }
  }

  private consider(head: Queued): Step {
    const { sender } = this.context;
    const { wire } = head.entry;
    if (head.answeredLate && wire) return { kind: 'follow', verdict: judgeResult(wire.method, head.answeredLate) };
    if (head.restored && wire && !isRepeatable(wire))
      return { kind: 'follow', verdict: { kind: 'bury', reason: 'outcome_unknown' } };
    if (head.refusedUnderPolicy === sender.policyEpoch()) return { kind: 'wait' };
    const route = sender.route(head.entry.occurrence);
    if (route.kind === 'wait' || route.kind === 'held') return { kind: 'wait' };
    if (route.kind === 'needless') return { kind: 'follow', verdict: { kind: 'delivered' } };
    if (route.kind === 'refused') return { kind: 'follow', verdict: { kind: 'bury', reason: 'channel_refused' } };
    return { kind: 'send', route };
  }

  private async take(head: Queued, step: Exclude<Step, { kind: 'wait' }>): Promise<void> {
    try {
      const verdict = step.kind === 'follow' ? step.verdict : await this.attempt(head, step.route);
      await this.follow(head, verdict);
    } catch (error) {
      const { message, stack } = error as Error;
      this.context.log.error({ reason: message, stack }, 'the outbox store failed; it will be tried again');
      this.retry(head);
    } finally {
      this.context.flights.give();
      this.pump();
    }
  }

  /** Records the attempt, then makes it. The first one fixes the bytes that every further one repeats. */
  private async attempt(head: Queued, route: Sendable): Promise<Verdict> {
    const { store, sender, log, time } = this.context;
    const wire = head.entry.wire ?? toWire(head.entry.occurrence, route, sender.leaves());
    head.entry = { ...head.entry, wire };
    const asked = time.monotonic();
    const clock = await store.attempt(head.entry.seq, wire, sender.retryWindowMs());
    // A store may take its time to say how much there is left.
    const late = pastDeadline(clock, time.monotonic() - asked);
    if (late) return { kind: 'bury', reason: late };
    try {
      const result = await sender.send(wire, (answer) => {
        head.answeredLate = answer;
        this.wake();
      });
      log.debug({ eventId: head.entry.occurrence.eventId, lane: wire.method, result }, 'answered');
      return judgeResult(wire.method, result);
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      return judgeFailure(error.cause, wire);
    }
  }

  private async follow(head: Queued, verdict: Verdict): Promise<void> {
    const { store, sender, log } = this.context;
    const { seq, occurrence } = head.entry;
    switch (verdict.kind) {
      case 'delivered':
        this.failures = 0;
        this.dequeue(head);
        // The subject's next one need not wait for the store: a repeated settled one is recognised by the host.
        this.pump();
        await store.settle(seq);
        tell(head, { kind: 'delivered' });
        return;
      case 'bury':
        await store.bury(seq, verdict.reason);
        log.warn({ eventId: occurrence.eventId, reason: verdict.reason }, 'occurrence given up');
        this.failures = 0;
        this.dequeue(head);
        tell(head, { kind: 'buried', reason: verdict.reason });
        return;
      case 'await-policy':
        head.refusedUnderPolicy = sender.policyEpoch();
        this.putBack(head);
        return;
      case 'register-again':
        if (head.registeredAgain) return this.follow(head, { kind: 'bury', reason: 'channel_refused' });
        head.registeredAgain = true;
        if ('channelId' in occurrence && occurrence.channelId !== undefined)
          await sender.registerAgain(occurrence.channelId);
        this.putBack(head);
        return;
      case 'retry':
        this.retry(head);
    }
  }

  private putBack(head: Queued): void {
    head.underWay = false;
    this.ready.add(head);
  }

  /** One pause for all that fail together. */
  private retry(head: Queued): void {
    this.putBack(head);
    if (this.callOffPause) return;
    const ms = backoffMs(this.failures++, this.context.random());
    this.callOffPause = this.context.time.after(ms, this.wake);
  }
}
