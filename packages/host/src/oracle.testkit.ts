/**
 * RFC-006 by brute force: lists of everything that ever happened, searched from end to end for every question. Written
 * from the rules, not from the reducer, to be compared with it.
 */
export interface OracleOccurrence {
  readonly eventId: string;
  readonly kind: 'ordinary' | 'plain' | 'retract' | 'deferred';
  readonly subject: string;
  readonly initial: boolean;
  /** Empty for empty content. */
  readonly text: string;
}

interface Item {
  readonly context: string;
  readonly subject: string | undefined;
  text: string;
  eventId: string;
  /** Still the subject's to change, unless it was read. */
  holdsSlot: boolean;
  /** When it was read, as a count of everything that was. */
  readAt: number | undefined;
  gone: boolean;
  batch?: OracleBatch | undefined;
}

interface OracleBatch {
  readonly subject: string;
  readonly notices: OracleOccurrence[];
  contexts: string[];
  /** Renders in the order in which they were asked for. */
  startedAt: number;
  state: 'pending' | 'rendering' | 'over';
}

/** A stretch of a subject's life that the host remembers; what came before it is unknown. */
interface Memory {
  readonly subject: string;
  readonly startsAtNone: boolean;
  /** What was placed and what was read before is not part of it. */
  readonly sinceItem: number;
  readonly sinceRead: number;
  forgotten: boolean;
}

/** A context on its way to a request: it waits for renders, twice where some could not start at once. */
interface Assembly {
  readonly context: string;
  round: 1 | 2;
  blocked: boolean;
  waitsFor: OracleBatch[];
}

export type OracleOutcome = 'first' | 'replaced' | 'appended' | 'retracted' | 'noted' | 'consumed' | undefined;

const CAUTION: readonly OracleOutcome[] = ['appended', 'replaced', 'first', 'noted', 'consumed', 'retracted'];
const mostCautious = (outcomes: readonly OracleOutcome[]): OracleOutcome =>
  CAUTION.find((one) => outcomes.includes(one));

export class Oracle {
  private readonly items: Item[] = [];
  private readonly batches: OracleBatch[] = [];
  private readonly memories: Memory[] = [];
  private readonly receipts: { eventId: string; outcome: OracleOutcome }[] = [];
  private assemblies: Assembly[] = [];
  /** Batches that were cancelled while their server was still at work, by their latest notice. */
  private readonly abandoned = new Set<string>();
  private reads = 0;
  private starts = 0;
  /** Contexts that a fresh event reaches. */
  audience: readonly string[] = [];

  constructor(
    /** How many subjects are remembered at once. */
    private readonly capacity: number,
    /** Whether the subject's server may still show it. */
    private readonly authority: (subject: string) => boolean,
    /** Whether it is true as of now, and moves behind what came meanwhile; a message stays where it sat. */
    private readonly isGauge: (subject: string) => boolean,
  ) {}

  admit(occurrence: OracleOccurrence): OracleOutcome {
    const receipt = this.receipts.find((one) => one.eventId === occurrence.eventId);
    if (receipt) return receipt.outcome;
    const outcome = this.decide(occurrence);
    this.receipts.push({ eventId: occurrence.eventId, outcome });
    this.settle();
    return outcome;
  }

  /** An assembly of `context` begins. Returns the latest notices of what its server is asked to render now. */
  begin(context: string): void {
    this.assemblies.push({ context, round: 1, ...this.freeze(context) });
    this.settle();
  }

  isAssembling(context: string): boolean {
    return this.assemblies.some((one) => one.context === context);
  }

  /** The render of the batch whose latest notice is `eventId` ends; `undefined` is the fallback. */
  renderEnds(eventId: string, result: string | undefined): void {
    const batch = this.batches.find((one) => one.state === 'rendering' && one.notices.at(-1)?.eventId === eventId);
    if (batch) this.materialise(batch, result);
    this.abandoned.delete(eventId);
    this.settle();
  }

  /** Every render that is under way ends without a result, oldest first. */
  rendersFail(): void {
    const underWay = this.batches.filter((one) => one.state === 'rendering');
    for (const batch of underWay.sort((a, b) => a.startedAt - b.startedAt)) this.materialise(batch, undefined);
    this.abandoned.clear();
    this.settle();
  }

  /** The process ends in the middle of whatever it was doing. What was rendered falls back, and nobody is asked why. */
  restart(): void {
    this.assemblies = [];
    this.abandoned.clear();
    for (const batch of this.batches.filter((one) => one.state === 'rendering')) this.show(batch, undefined);
  }

  /** What was read, in the order of reading, and what was not. */
  texts(context: string): { read: string[]; unread: string[] } {
    const mine = this.items.filter((item) => item.context === context && !item.gone);
    const read = mine.filter((item) => item.readAt !== undefined).sort((a, b) => (a.readAt ?? 0) - (b.readAt ?? 0));
    return { read: read.map(({ text }) => text), unread: this.unread(context).map(({ text }) => text) };
  }

  private freeze(context: string): { blocked: boolean; waitsFor: OracleBatch[] } {
    const mine = this.batches.filter((batch) => batch.state !== 'over' && batch.contexts.includes(context));
    const waitsFor = mine.filter((batch) => batch.state === 'rendering');
    let blocked = false;
    for (const batch of mine.filter((one) => one.state === 'pending')) {
      if (this.live(batch.subject).some((one) => one.state === 'rendering')) blocked = true;
      else if (this.authority(batch.subject)) {
        batch.state = 'rendering';
        batch.startedAt = this.starts++;
        waitsFor.push(batch);
      } else batch.state = 'over';
    }
    return { blocked, waitsFor };
  }

  /** Lets every assembly go as far as it can. A cancelled render is still waited for; its asker tells when it ends. */
  private settle(): void {
    for (const assembly of [...this.assemblies]) {
      if (assembly.waitsFor.some((batch) => this.isUnderWay(batch))) continue;
      if (assembly.round === 1 && assembly.blocked) {
        Object.assign(assembly, { round: 2, ...this.freeze(assembly.context) });
        if (assembly.waitsFor.some((batch) => this.isUnderWay(batch))) continue;
      }
      this.assemblies = this.assemblies.filter((one) => one !== assembly);
      this.consume(assembly.context);
    }
  }

  private isUnderWay(batch: OracleBatch): boolean {
    return batch.state === 'rendering' || this.abandoned.has(batch.notices.at(-1)?.eventId ?? '');
  }

  private consume(context: string): void {
    for (const item of this.unread(context)) {
      item.readAt = this.reads++;
      if (item.batch) this.seal(item.batch);
    }
  }

  private decide(occurrence: OracleOccurrence): OracleOutcome {
    const { kind, subject, text } = occurrence;
    if (kind === 'ordinary') {
      for (const context of this.audience) this.place(context, occurrence, undefined);
      return undefined;
    }
    if (!this.remember(occurrence)) {
      if (text !== '') for (const context of this.audience) this.place(context, occurrence, undefined);
      return kind === 'retract' ? (text === '' ? 'consumed' : 'noted') : 'appended';
    }
    if (kind === 'deferred') return this.notice(occurrence);
    const waiting = this.live(subject).flatMap((batch) => batch.contexts);
    for (const batch of this.live(subject)) this.cancel(batch);
    return kind === 'plain' ? this.plain(occurrence, waiting) : this.retract(occurrence, waiting);
  }

  /** Remembers the subject, in the place of the one not spoken of for longest if there is no room; false if there is none. */
  private remember({ subject, kind, initial }: OracleOccurrence): boolean {
    const known = this.memories.find((one) => one.subject === subject && !one.forgotten);
    if (known) {
      this.memories.splice(this.memories.indexOf(known), 1);
      this.memories.push(known);
      return true;
    }
    const kept = this.memories.filter((one) => !one.forgotten);
    if (kept.length >= this.capacity) {
      const idle = kept.find((one) => this.holders(one.subject).length === 0 && this.live(one.subject).length === 0);
      if (!idle) return false;
      idle.forgotten = true;
    }
    const startsAtNone = kind !== 'retract' && initial;
    this.memories.push({
      subject,
      startsAtNone,
      sinceItem: this.items.length,
      sinceRead: this.reads,
      forgotten: false,
    });
    return true;
  }

  private plain(occurrence: OracleOccurrence, waiting: readonly string[]): OracleOutcome {
    const { subject, text, eventId } = occurrence;
    const held = this.holders(subject).map((item) => item.context);
    const anyUnread = held.length + waiting.length > 0;
    const targets = anyUnread
      ? [...new Set([...held, ...waiting, ...this.contextsThatRead(subject)])]
      : [...this.audience];
    const outcomes = targets.flatMap((context): OracleOutcome[] => {
      const holder = this.holders(subject).find((item) => item.context === context);
      if (!this.audience.includes(context)) {
        if (holder) holder.gone = true;
        return [];
      }
      if (holder) {
        if (this.isGauge(subject)) {
          holder.gone = true;
          this.place(context, occurrence, subject);
        } else Object.assign(holder, { text, eventId, batch: undefined });
        return ['replaced'];
      }
      const fresh = this.history(subject, context) === 'none' ? 'first' : 'appended';
      this.place(context, occurrence, subject);
      return [waiting.includes(context) ? 'replaced' : fresh];
    });
    return mostCautious(outcomes) ?? (anyUnread ? 'replaced' : 'appended');
  }

  private retract(occurrence: OracleOccurrence, waiting: readonly string[]): OracleOutcome {
    const { subject, text } = occurrence;
    const held = this.holders(subject).map((item) => item.context);
    const concerned = new Set([...held, ...waiting, ...this.contextsThatRead(subject)]);
    if (!this.memoryOf(subject)?.startsAtNone) for (const context of this.audience) concerned.add(context);
    const outcomes = [...concerned].map((context): OracleOutcome => {
      for (const item of this.holders(subject)) if (item.context === context) item.gone = true;
      if (this.history(subject, context) === 'none' || !this.audience.includes(context)) return 'retracted';
      if (text === '') return 'consumed';
      this.place(context, occurrence, undefined);
      return 'noted';
    });
    return mostCautious(outcomes) ?? 'retracted';
  }

  private notice(occurrence: OracleOccurrence): OracleOutcome {
    const { subject } = occurrence;
    const displaced = this.holders(subject).map((item) => item.context);
    for (const item of this.holders(subject)) item.gone = true;
    const pending = this.batches.find((batch) => batch.subject === subject && batch.state === 'pending');
    if (pending) {
      pending.notices.push(occurrence);
      pending.contexts = pending.contexts.filter((context) => this.audience.includes(context));
      if (pending.contexts.length === 0) pending.state = 'over';
      return 'replaced';
    }
    const contexts =
      displaced.length > 0 ? displaced.filter((context) => this.audience.includes(context)) : [...this.audience];
    const state = contexts.length > 0 ? 'pending' : 'over';
    this.batches.push({ subject, notices: [occurrence], contexts, startedAt: 0, state });
    return displaced.length > 0 ? 'replaced' : 'first';
  }

  private cancel(batch: OracleBatch): void {
    if (batch.state === 'rendering') this.abandoned.add(batch.notices.at(-1)?.eventId ?? '');
    batch.state = 'over';
  }

  private materialise(batch: OracleBatch, result: string | undefined): void {
    if (this.authority(batch.subject)) this.show(batch, result);
    else batch.state = 'over';
  }

  private show(batch: OracleBatch, result: string | undefined): void {
    batch.state = 'over';
    const latest = batch.notices.at(-1);
    const text = result ?? latest?.text ?? '';
    if (text === '' || !latest) return;
    for (const context of batch.contexts.filter((one) => this.audience.includes(one)))
      this.place(context, { text, eventId: latest.eventId }, batch.subject, batch);
  }

  /** What one context has read of a render stays where the others have it. */
  private seal(batch: OracleBatch): void {
    for (const item of this.items) if (item.batch === batch && !item.gone) item.holdsSlot = false;
  }

  private place(
    context: string,
    { text, eventId }: Pick<OracleOccurrence, 'text' | 'eventId'>,
    subject: string | undefined,
    batch?: OracleBatch,
  ): void {
    const holdsSlot = subject !== undefined;
    this.items.push({ context, subject, text, eventId, holdsSlot, readAt: undefined, gone: false, batch });
  }

  private unread(context: string): Item[] {
    return this.items.filter((item) => item.context === context && item.readAt === undefined && !item.gone);
  }

  private holders(subject: string): Item[] {
    return this.items.filter(
      (one) => one.subject === subject && one.holdsSlot && one.readAt === undefined && !one.gone,
    );
  }

  private live(subject: string): OracleBatch[] {
    return this.batches.filter((batch) => batch.subject === subject && batch.state !== 'over');
  }

  private memoryOf(subject: string): Memory | undefined {
    return this.memories.find((one) => one.subject === subject && !one.forgotten);
  }

  /** Contexts in which some occurrence was read, or stays because another context read it, as far as is remembered. */
  private contextsThatRead(subject: string): string[] {
    const { sinceItem = 0, sinceRead = 0 } = this.memoryOf(subject) ?? {};
    const known = this.items.filter((item, n) => {
      if (item.subject !== subject || item.gone) return false;
      return item.readAt === undefined ? !item.holdsSlot && n >= sinceItem : item.readAt >= sinceRead;
    });
    return [...new Set(known.map((item) => item.context))];
  }

  private history(subject: string, context: string): 'none' | 'some' | 'unknown' {
    if (this.contextsThatRead(subject).includes(context)) return 'some';
    return this.memoryOf(subject)?.startsAtNone ? 'none' : 'unknown';
  }
}
