import type { ContentBlock } from '@mcpl-bridges/protocol';
import type { Log } from '../log.js';
import { fold } from '../occurrence/fold.js';
import { type NoticeOccurrence, type Occurrence, subjectOf } from '../occurrence/occurrence.js';
import { type Sendable, toWire, type WireForm } from '../occurrence/wire-form.js';
import type { AttemptClock, RecordWrite, StoredEntry, StoreStep } from '../store/store.js';
import type { Time } from '../time.js';
import { backoffMs } from './backoff.js';
import type { Counters } from './counters.js';
import { atLeast, pastDeadline } from './deadline.js';
import type { Departure, DepartureOwner, Departures, OccurrenceAnswer } from './departures.js';
import type { Flights } from './flights.js';
import { Gatherer, type GatherLimits, summaryOf } from './gatherer.js';
import type { GroupCommit } from './group-commit.js';
import { type Queued, queuedOf, restated, tell } from './queued.js';
import type { Sender } from './sender.js';
import { SubjectLines } from './subject-lines.js';
import { isRepeatable, judgeFailure, judgeResult, type Verdict } from './verdict.js';

export interface QueueContext {
  readonly commits: GroupCommit;
  readonly sender: Sender;
  readonly departures: Departures;
  readonly flights: Flights;
  readonly counters: Counters;
  readonly gather: GatherLimits;
  readonly time: Time;
  readonly random: () => number;
  readonly log: Log;
  readonly nextSeq: () => number;
  /** An occurrence has entered a queue, or left it. */
  readonly onLength: (change: 1 | -1) => void;
}

/** What may happen with the next occurrence now. */
type Step =
  | { readonly kind: 'send'; readonly route: Sendable | undefined }
  | { readonly kind: 'follow'; readonly verdict: Verdict }
  /** The host cannot ask for what this notice announces: it is gathered with those that follow, then told. */
  | { readonly kind: 'gather' }
  | { readonly kind: 'summarise' }
  /** Something outside must change first: a session, a policy, a registration. */
  | { readonly kind: 'wait' };

/**
 * One channel's occurrences. They leave in the order in which they were stored, many at once; a subject's next one only
 * when the host has answered for the one before, so that an edit never overtakes its create. After a failure the channel
 * pauses: what is behind does not run away from what has to be repeated. `wake` makes it look again.
 */
export class ChannelQueue implements DepartureOwner {
  private readonly lines = new SubjectLines();
  private readonly gatherer: Gatherer;
  /** Notices that have been gathered for long enough. */
  private readonly ripe = new Set<Queued>();
  private failures = 0;
  private pumping = false;
  private callOffPause: (() => void) | undefined;

  constructor(private readonly context: QueueContext) {
    this.gatherer = new Gatherer(context.time, context.gather, (head) => {
      this.ripe.add(head);
      this.lines.ready.add(head);
      this.pump();
    });
  }

  /** Takes up an entry that an earlier process left in the store. */
  restore(entry: StoredEntry): void {
    this.enqueue(queuedOf(subjectOf(entry.occurrence), entry, [], true));
  }

  /**
   * Takes `occurrence` in, folded into its subject's unsent one where there is one.
   * @param stored called when it is kept
   */
  add(
    occurrence: Occurrence,
    records: readonly RecordWrite[],
    stored: () => void,
    settled: Queued['settled'][number],
  ): void {
    const subject = subjectOf(occurrence);
    const line = this.lines.line(subject);
    const same = line.find(({ entry }) => entry.occurrence.eventId === occurrence.eventId);
    if (same) {
      // Handed over again, by whoever does not know that it is here: its id is used only to repeat it.
      same.settled.push(settled);
      this.keep([], records, stored);
      return;
    }
    const last = line.at(-1);
    const earlier = last && !last.entry.wire && !last.underWay ? last : undefined;
    const folded = earlier ? fold(earlier.entry.occurrence, occurrence) : undefined;
    if (earlier && folded?.kind === 'replace') {
      const { seq } = earlier.entry;
      earlier.entry = { seq, occurrence: folded.occurrence };
      this.keep([{ kind: 'amend', seq, occurrence: folded.occurrence }], records, stored);
      settled({ kind: 'folded' });
      return;
    }
    if (earlier && (folded?.kind === 'cancel' || folded?.kind === 'supersede')) {
      this.dequeue(earlier);
      const forget: StoreStep = { kind: 'forget', seq: earlier.entry.seq };
      tell(earlier, { kind: 'folded' });
      if (folded.kind === 'cancel') {
        this.keep([forget], records, stored);
        settled({ kind: 'folded' });
        return;
      }
      this.context.commits.add(forget);
    }
    const entry = { seq: this.context.nextSeq(), occurrence };
    this.keep([{ kind: 'append', seq: entry.seq, occurrence }], records, stored);
    this.enqueue(queuedOf(subject, entry, [settled], false));
    this.pump();
  }

  /** Puts `content` into the subject's last occurrence. @returns whether that was not sent yet @param stored as in `add` */
  enrich(subject: string, content: readonly ContentBlock[], stored: () => void): boolean {
    const last = this.lines.line(subject).at(-1);
    if (!last || last.entry.wire || last.underWay) return false;
    const { seq, occurrence } = last.entry;
    if (occurrence.kind !== 'message' || occurrence.action === 'delete') return false;
    const enriched = { ...occurrence, content };
    last.entry = { seq, occurrence: enriched };
    this.keep([{ kind: 'amend', seq, occurrence: enriched }], [], stored);
    return true;
  }

  /** Something outside has changed: look again now. */
  readonly wake = (): void => {
    this.callOffPause?.();
    this.callOffPause = undefined;
    for (const head of this.gatherer.release()) this.lines.ready.add(head);
    this.pump();
  };

  /** Everything there is, for a store that has lost it. */
  restate(): StoreStep[] {
    const now = this.context.time.monotonic();
    return this.lines.all().flatMap((queued) => restated(queued, now));
  }

  private keep(steps: readonly StoreStep[], records: readonly RecordWrite[], stored: () => void): void {
    const { commits } = this.context;
    for (const step of steps) commits.add(step);
    for (const record of records) commits.add({ kind: 'record', ...record });
    if (steps.length + records.length > 0) commits.whenKept(stored);
    else stored();
  }

  private enqueue(queued: Queued): void {
    this.lines.add(queued);
    if (queued.entry.occurrence.kind === 'notice') this.gatherer.heard(queued.subject);
    this.context.onLength(1);
  }

  private dequeue(queued: Queued): void {
    if (this.gatherer.drop(queued)) this.lines.ready.add(queued);
    this.ripe.delete(queued);
    this.lines.remove(queued);
    this.context.onLength(-1);
  }

  private readonly pump = (): void => {
    if (this.pumping) return;
    this.pumping = true;
    // News is no reason to try what has failed again before its pause is over.
    while (!this.callOffPause) {
      const head = this.lines.ready.first;
      if (!head || !this.take(head, this.consider(head))) break;
    }
    this.pumping = false;
  };

  /** @returns whether what is behind `head` may be looked at, too */
  private take(head: Queued, step: Step): boolean {
    if (step.kind === 'wait') return false;
    if ((step.kind === 'send' || step.kind === 'summarise') && !this.context.flights.take(this.pump)) return false;
    this.lines.ready.shift();
    switch (step.kind) {
      case 'gather':
        this.gatherer.hold(head);
        return true;
      case 'follow':
        head.underWay = true;
        this.follow(head, step.verdict);
        return true;
      case 'summarise':
        head.underWay = true;
        void this.summarise(head);
        return true;
      case 'send':
        head.underWay = true;
        this.attempt(head, step.route);
        return true;
    }
  }

  private consider(head: Queued): Step {
    const { sender } = this.context;
    const { wire, occurrence } = head.entry;
    if (head.answeredLate && wire) return { kind: 'follow', verdict: judgeResult(head.answeredLate, wire) };
    if (head.restored && wire && !isRepeatable(wire) && head.attemptedAt === undefined)
      return { kind: 'follow', verdict: { kind: 'bury', reason: 'outcome_unknown' } };
    if (sender.withholds(occurrence)) return { kind: 'follow', verdict: WITHHELD };
    if (head.refusedUnderPolicy === sender.policyEpoch()) return { kind: 'wait' };
    if (wire) {
      const permit = sender.permits(occurrence, wire);
      if (permit === 'yes') return { kind: 'send', route: undefined };
      return permit === 'wait' ? { kind: 'wait' } : { kind: 'follow', verdict: REFUSED };
    }
    const route = sender.route(occurrence);
    if (route.kind === 'wait' || route.kind === 'held') return { kind: 'wait' };
    if (route.kind === 'needless') return { kind: 'follow', verdict: { kind: 'delivered' } };
    if (route.kind === 'refused') return { kind: 'follow', verdict: REFUSED };
    if (occurrence.kind === 'notice' && !sender.leaves()?.deferred)
      return this.ripe.has(head) ? { kind: 'summarise' } : { kind: 'gather' };
    return { kind: 'send', route };
  }

  /** Has the attempt recorded, then makes it. The first one fixes the bytes that every further one repeats. */
  private attempt(head: Queued, route: Sendable | undefined): void {
    const { commits, sender, time } = this.context;
    const { seq, occurrence } = head.entry;
    const wire = head.entry.wire ?? toWire(occurrence, route as Sendable, sender.leaves());
    head.entry = { seq, occurrence, wire };
    const asked = time.monotonic();
    commits.attempt({ kind: 'attempt', seq, wire, windowMs: sender.retryWindowMs() }, (clock) =>
      this.recorded(head, wire, clock, asked),
    );
  }

  private recorded(head: Queued, wire: WireForm, told: AttemptClock, asked: number): void {
    // Two clocks are better than one: that of the store may have been set back.
    const clock = head.attemptedAt === undefined ? told : atLeast(told, asked - head.attemptedAt);
    if (clock.elapsedMs !== 'unknown') head.attemptedAt = asked - clock.elapsedMs;
    head.windowMs = clock.windowMs;
    this.context.departures.add({ queued: head, wire, clock, asked, owner: this });
  }

  /** What was granted, and what time there was, may be gone by the time there is room. */
  mayLeave({ queued: head, wire, clock, asked }: Departure): boolean {
    const late = pastDeadline(clock, this.context.time.monotonic() - asked);
    if (late) this.end(head, { kind: 'bury', reason: late });
    else if (this.isPermitted(head.entry.occurrence, wire)) return true;
    else this.end(head, undefined);
    return false;
  }

  private isPermitted(occurrence: Occurrence, wire: WireForm): boolean {
    const { sender } = this.context;
    return !sender.withholds(occurrence) && sender.permits(occurrence, wire) === 'yes';
  }

  answered({ queued: head, wire }: Departure, answer: OccurrenceAnswer): void {
    if (answer.kind === 'result') {
      if (answer.late) {
        head.answeredLate = answer.result;
        this.wake();
        return;
      }
      const { result } = answer;
      this.context.log.debug({ eventId: head.entry.occurrence.eventId, lane: wire.method, result }, 'answered');
      this.context.counters.answered(result);
      this.end(head, judgeResult(result, wire));
      return;
    }
    const verdict = judgeFailure(answer.cause, wire);
    // Of several in a request that the host refuses as a whole, perhaps one is to blame.
    if (verdict.kind === 'bury' && answer.cause.kind === 'refused' && answer.isShared) {
      head.goesAlone = true;
      this.end(head, undefined);
    } else this.end(head, verdict);
  }

  /** Is on its way no more. Without a verdict it is ready again. */
  private end(head: Queued, verdict: Verdict | undefined): void {
    if (verdict) this.follow(head, verdict);
    else this.putBack(head);
    this.context.flights.give();
    this.pump();
  }

  private follow(head: Queued, verdict: Verdict): void {
    const { commits, counters, sender, log } = this.context;
    const { seq, occurrence } = head.entry;
    switch (verdict.kind) {
      case 'delivered':
        this.failures = 0;
        counters.delivered();
        commits.add({ kind: 'forget', seq });
        this.dequeue(head);
        tell(head, { kind: 'delivered' });
        return;
      case 'bury':
        this.failures = 0;
        counters.buried(verdict.reason);
        log.warn({ eventId: occurrence.eventId, reason: verdict.reason }, 'occurrence given up');
        commits.add({ kind: 'bury', seq, reason: verdict.reason }, () =>
          tell(head, { kind: 'buried', reason: verdict.reason }),
        );
        this.dequeue(head);
        return;
      case 'await-policy':
        head.refusedUnderPolicy = sender.policyEpoch();
        this.putBack(head);
        return;
      case 'register-again':
        if (head.registeredAgain || !('channelId' in occurrence) || occurrence.channelId === undefined) {
          this.follow(head, REFUSED);
          return;
        }
        head.registeredAgain = true;
        void sender.registerAgain(occurrence.channelId).then(() => {
          this.putBack(head);
          this.pump();
        });
        return;
      case 'retry':
        counters.retried();
        this.putBack(head);
        this.pause();
    }
  }

  private putBack(head: Queued): void {
    head.underWay = false;
    this.lines.ready.add(head);
  }

  /** One pause for all that fail together. */
  private pause(): void {
    if (this.callOffPause) return;
    const ms = backoffMs(this.failures++, this.context.random());
    this.callOffPause = this.context.time.after(ms, this.wake);
  }

  /** Puts one summary in the place of all notices of `head`'s subject, and sends it. */
  private async summarise(head: Queued): Promise<void> {
    this.ripe.delete(head);
    const gathered = this.unsentNotices(head);
    const notices = gathered.map(({ entry }) => entry.occurrence) as [NoticeOccurrence, ...NoticeOccurrence[]];
    const content: readonly ContentBlock[] = await this.context.sender.summarise(notices);
    const last = gathered.at(-1) as Queued;
    const waiting = last.settled.splice(0);
    for (const queued of gathered) {
      tell(queued, { kind: 'folded' });
      queued.settled.length = 0;
      if (queued === head) continue;
      this.context.commits.add({ kind: 'forget', seq: queued.entry.seq });
      this.dequeue(queued);
    }
    head.settled.push(...waiting);
    if (content.length === 0) {
      this.end(head, { kind: 'delivered' });
      return;
    }
    const occurrence = summaryOf(notices, content);
    const { seq } = head.entry;
    head.entry = { seq, occurrence };
    this.context.commits.add({ kind: 'amend', seq, occurrence });
    head.underWay = false;
    const step = this.consider(head);
    if (step.kind === 'send') {
      head.underWay = true;
      this.attempt(head, step.route);
    } else this.end(head, step.kind === 'follow' ? step.verdict : undefined);
  }

  private unsentNotices(head: Queued): Queued[] {
    const line = this.lines.line(head.subject);
    const end = line.findIndex(({ entry }) => entry.occurrence.kind !== 'notice' || entry.wire);
    return line.slice(0, end === -1 ? undefined : end);
  }
}

const REFUSED: Verdict = { kind: 'bury', reason: 'channel_refused' };

const WITHHELD: Verdict = { kind: 'bury', reason: 'withheld' };
