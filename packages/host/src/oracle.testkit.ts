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
  read: boolean;
  gone: boolean;
  batch?: OracleBatch | undefined;
}

interface OracleBatch {
  readonly subject: string;
  readonly notices: OracleOccurrence[];
  contexts: string[];
  state: 'pending' | 'rendering' | 'over';
}

export type OracleOutcome = 'first' | 'replaced' | 'appended' | 'retracted' | 'noted' | 'consumed' | undefined;

const CAUTION: readonly OracleOutcome[] = ['appended', 'replaced', 'first', 'noted', 'consumed', 'retracted'];
const mostCautious = (outcomes: readonly OracleOutcome[]): OracleOutcome =>
  CAUTION.find((one) => outcomes.includes(one));

export class Oracle {
  private readonly items: Item[] = [];
  private readonly batches: OracleBatch[] = [];
  private readonly births: { subject: string; none: boolean }[] = [];
  private readonly receipts: { eventId: string; outcome: OracleOutcome }[] = [];

  admit(occurrence: OracleOccurrence, audience: readonly string[]): OracleOutcome {
    const receipt = this.receipts.find((one) => one.eventId === occurrence.eventId);
    if (receipt) return receipt.outcome;
    const outcome = this.decide(occurrence, audience);
    this.receipts.push({ eventId: occurrence.eventId, outcome });
    return outcome;
  }

  /** An assembly of `context` begins. */
  begin(context: string): void {
    for (const batch of this.batches)
      if (batch.state === 'pending' && batch.contexts.includes(context)) batch.state = 'rendering';
  }

  /** Its renders end with `result`; `undefined` is the fallback. Then everything in `context` is read. */
  end(context: string, result: string | undefined, audience: readonly string[]): void {
    for (const batch of this.batches.filter((one) => one.state === 'rendering'))
      this.materialise(batch, result, audience);
    for (const item of this.unread(context)) {
      item.read = true;
      if (item.batch) this.seal(item.batch);
    }
  }

  /** The process ends in the middle of whatever it was doing. */
  restart(audience: readonly string[]): void {
    for (const batch of this.batches.filter((one) => one.state === 'rendering'))
      this.materialise(batch, undefined, audience);
  }

  texts(context: string): { read: string[]; unread: string[] } {
    const mine = this.items.filter((item) => item.context === context && !item.gone);
    return {
      read: this.readOrder.filter((item) => item.context === context).map((item) => item.text),
      unread: mine.filter((item) => !item.read).map((item) => item.text),
    };
  }

  /** Items in the order they were read: positions freeze there. */
  private get readOrder(): Item[] {
    return this.items.filter((item) => item.read);
  }

  private decide(occurrence: OracleOccurrence, audience: readonly string[]): OracleOutcome {
    const { kind, subject, initial, text } = occurrence;
    if (kind === 'ordinary') {
      for (const context of audience) this.place(context, occurrence, undefined);
      return undefined;
    }
    if (!this.births.some((one) => one.subject === subject))
      this.births.push({ subject, none: kind !== 'retract' && initial });
    if (kind === 'deferred') return this.notice(occurrence, audience);

    const waiting = this.live(subject).flatMap((batch) => batch.contexts);
    for (const batch of this.live(subject)) batch.state = 'over';
    const held = this.holders(subject).map((item) => item.context);
    const read = this.contextsThatRead(subject);
    if (kind === 'plain') {
      const anyUnread = held.length + waiting.length > 0;
      const targets = anyUnread ? [...new Set([...held, ...waiting, ...read])] : [...audience];
      const outcomes = targets.flatMap((context) => {
        const holder = this.holders(subject).find((item) => item.context === context);
        if (!audience.includes(context)) {
          if (holder) this.remove(holder);
          return [];
        }
        if (holder) {
          holder.text = text;
          holder.eventId = occurrence.eventId;
          holder.batch = undefined;
          return ['replaced' as const];
        }
        const fresh = waiting.includes(context)
          ? 'replaced'
          : this.history(subject, context) === 'none'
            ? 'first'
            : 'appended';
        this.place(context, occurrence, subject);
        return [fresh as OracleOutcome];
      });
      return mostCautious(outcomes) ?? (anyUnread ? 'replaced' : 'appended');
    }
    const concerned = new Set([...held, ...waiting, ...read]);
    if (!this.births.find((one) => one.subject === subject)?.none)
      for (const context of audience) concerned.add(context);
    const outcomes = [...concerned].map((context): OracleOutcome => {
      for (const item of this.holders(subject)) if (item.context === context) this.remove(item);
      if (this.history(subject, context) === 'none' || !audience.includes(context)) return 'retracted';
      if (text === '') return 'consumed';
      this.place(context, occurrence, undefined);
      return 'noted';
    });
    return mostCautious(outcomes) ?? 'retracted';
  }

  private notice(occurrence: OracleOccurrence, audience: readonly string[]): OracleOutcome {
    const { subject } = occurrence;
    const displaced = this.holders(subject).map((item) => item.context);
    for (const item of this.holders(subject)) this.remove(item);
    const pending = this.batches.find((batch) => batch.subject === subject && batch.state === 'pending');
    if (pending) {
      pending.notices.push(occurrence);
      pending.contexts = pending.contexts.filter((context) => audience.includes(context));
      if (pending.contexts.length === 0) pending.state = 'over';
      return 'replaced';
    }
    const contexts = displaced.length > 0 ? displaced.filter((context) => audience.includes(context)) : [...audience];
    this.batches.push({ subject, notices: [occurrence], contexts, state: 'pending' });
    return displaced.length > 0 ? 'replaced' : 'first';
  }

  private materialise(batch: OracleBatch, result: string | undefined, audience: readonly string[]): void {
    batch.state = 'over';
    const latest = batch.notices.at(-1);
    const text = result ?? latest?.text ?? '';
    if (text === '' || !latest) return;
    for (const context of batch.contexts.filter((one) => audience.includes(one)))
      this.items.push({
        context,
        subject: batch.subject,
        text,
        eventId: latest.eventId,
        holdsSlot: true,
        read: false,
        gone: false,
        batch,
      });
  }

  /** What one context has read of a render stays where the others have it. */
  private seal(batch: OracleBatch): void {
    for (const item of this.items) if (item.batch === batch && !item.gone) item.holdsSlot = false;
  }

  private place(context: string, { text, eventId }: OracleOccurrence, subject: string | undefined): void {
    this.items.push({ context, subject, text, eventId, holdsSlot: subject !== undefined, read: false, gone: false });
  }

  private remove(item: Item): void {
    item.gone = true;
  }

  private unread(context: string): Item[] {
    return this.items.filter((item) => item.context === context && !item.read && !item.gone);
  }

  private holders(subject: string): Item[] {
    return this.items.filter((item) => item.subject === subject && item.holdsSlot && !item.read && !item.gone);
  }

  private live(subject: string): OracleBatch[] {
    return this.batches.filter((batch) => batch.subject === subject && batch.state !== 'over');
  }

  /** Contexts in which some occurrence was read, or stays because another context read it. */
  private contextsThatRead(subject: string): string[] {
    const known = this.items.filter((item) => item.subject === subject && !item.gone && (item.read || !item.holdsSlot));
    return [...new Set(known.map((item) => item.context))];
  }

  private history(subject: string, context: string): 'none' | 'some' | 'unknown' {
    if (this.contextsThatRead(subject).includes(context)) return 'some';
    return this.births.find((one) => one.subject === subject)?.none ? 'none' : 'unknown';
  }
}
