import { EventEmitter } from 'node:events';
import type { AuditLog } from './audit/audit.js';
import type { Clock } from './clock.js';
import type { Batch } from './core/batch.js';
import { Checkpoints } from './core/checkpoint.js';
import type { Entry } from './core/context.js';
import type { RenderEnd } from './core/deferred.js';
import type { AdmittedOccurrence } from './core/occurrence.js';
import { type Receipt, receiptId } from './core/receipts.js';
import { type Effect, type JournalRecord, reduce } from './core/reducer.js';
import { restoreState } from './core/restore.js';
import { createState, DEFAULT_SETTINGS, type HostState, type Settings } from './core/state.js';
import { type Journal, noJournal } from './journal/journal.js';

export interface EngineOptions {
  /** Default: 100,000 subjects a binding, consumption per context. */
  readonly settings?: Partial<Settings> | undefined;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly audit: AuditLog;
  /** The contexts current policy shows a fresh event to. */
  readonly route: (occurrence: AdmittedOccurrence) => readonly string[];
  /** What becomes of unread work at a restart. Default `replaceable`; `sealed` delivers it as ordinary (RFC-006 §3.2). */
  readonly recovery?: 'replaceable' | 'sealed' | undefined;
  /** Asks the batch's server for its content; always settles, within a bound. */
  readonly render: (batch: Batch) => Promise<RenderEnd>;
}

export interface Admission {
  /** `duplicate`: a retry inside the window; the original answer, nothing else happened (RFC-006 §3.1). */
  readonly kind: 'new' | 'duplicate';
  readonly receipt: Receipt;
  /** The answer waits for this, where there is something to wait for. */
  readonly durable: Promise<void> | undefined;
}

/** What an admitted occurrence changed, for whoever decides when to run. */
export interface Admitted {
  readonly occurrence: AdmittedOccurrence;
  /** Its subject, unless it is ordinary. */
  readonly subject: string | undefined;
  /** Contexts that have something of it to read now. */
  readonly unreadIn: readonly string[];
  /** Contexts in which the subject's unread content was taken back. */
  readonly emptiedIn: readonly string[];
}

/** Something unread, as far as a wake policy cares. */
export interface News {
  readonly context: string;
  readonly tags: readonly string[];
  readonly binding: string;
  readonly channelId: string | undefined;
  readonly subject: string | undefined;
}

/** The journal could not keep a record; this host decides nothing any more. */
class JournalFailure extends Error {
  override readonly name = 'JournalFailure';
  constructor(override readonly cause: Error) {
    super(`the journal cannot be written: ${cause.message}`);
  }
}

/** The reducer with its journal and clock: the one place where the host's state changes. */
export class Engine extends EventEmitter<{ admitted: [Admitted]; failed: [Error] }> {
  private readonly state: HostState;
  /** Not where nothing is kept: what nobody takes would pile up. */
  private readonly checkpoints: Checkpoints | undefined;
  /** Everything up to the newest record. */
  private lastDurable: Promise<void> | undefined;
  private readonly renders = new Map<number, Promise<void>>();
  private failure: Error | undefined;

  constructor(private readonly options: EngineOptions) {
    super();
    const { state, records } = options.journal.recover();
    this.state = state ? restoreState(state) : createState();
    if (options.journal !== noJournal) this.checkpoints = new Checkpoints(this.state);
    for (const { seq, record } of records) {
      if (seq <= this.state.applied) continue;
      reduce(this.state, record);
      this.state.applied = seq;
    }
    this.settle({ ...DEFAULT_SETTINGS, ...options.settings });
    this.endInterruptedRenders();
    if (options.recovery === 'sealed') this.commit({ type: 'seal', at: options.clock.now() });
  }

  admit(occurrence: AdmittedOccurrence, retryWindowMs: number): Admission {
    const at = this.options.clock.now();
    const known = this.state.receipts.find(receiptId(occurrence.binding, occurrence.eventId), at);
    if (known) return { kind: 'duplicate', receipt: known, durable: this.lastDurable };
    const audience = this.options.route(occurrence);
    const { effect, durable } = this.commit({ type: 'occurrence', at, occurrence, audience, retryWindowMs });
    if (effect.type !== 'receipt') throw new Error(`admission gave ${effect.type}`);
    const { receipt, subject, unreadIn, emptiedIn, audit } = effect;
    for (const entry of audit) this.options.audit.write(at, occurrence.binding, entry);
    this.emit('admitted', { occurrence, subject, unreadIn, emptiedIn });
    return { kind: 'new', receipt, durable };
  }

  /**
   * Assembles `context` for a request: its batches are rendered, all at once, then everything unread in it is consumed
   * (RFC-006 §3.3, §5.3).
   */
  async assemble(context: string): Promise<{ entries: readonly Entry[]; consumed: readonly Entry[] }> {
    // A second round takes the batches that had to wait for another assembly's render of the same subject.
    if (await this.renderFor(context)) await this.renderFor(context);
    const { effect, durable } = this.commit({ type: 'assembly', at: this.options.clock.now(), context });
    // What a model reads must be known as read, whatever happens next.
    await durable;
    if (effect.type !== 'assembled') throw new Error(`assembly of ${context} gave ${effect.type}`);
    return effect;
  }

  /** Whether `context` holds anything that no model has read, rendered or not. */
  hasNews(context: string): boolean {
    const found = this.state.contexts.get(context);
    return found !== undefined && found.unread.size + found.pending.size + found.frozen.size > 0;
  }

  private async renderFor(context: string): Promise<boolean> {
    const { effect, durable } = this.commit({ type: 'render-start', at: this.options.clock.now(), context });
    if (effect.type !== 'rendering') return false;
    for (const batch of effect.started) this.renders.set(batch.id, this.render(batch, durable));
    const all = [...effect.started, ...effect.underWay];
    await Promise.all(all.map((batch) => this.renders.get(batch.id)));
    return effect.blocked;
  }

  private async render(batch: Batch, recorded: Promise<void> | undefined): Promise<void> {
    // A render that was asked for is known as such even after a crash: it is never asked for twice.
    await recorded;
    this.endRender(batch, await this.options.render(batch));
    this.renders.delete(batch.id);
  }

  /** Renders what waits for `context` without reading it; it stays replaceable. */
  async materialize(context: string): Promise<void> {
    await this.renderFor(context);
  }

  /** Everything `context` holds, read and unread, in order. */
  entries(context: string): readonly Entry[] {
    const found = this.state.contexts.get(context);
    return found ? [...found.read, ...found.unread.values()] : [];
  }

  /** How many subjects `binding` has of those it may have. */
  capacity(binding: string): { readonly limit: number; readonly occupied: number } {
    return { limit: this.state.settings.maxSubjects, occupied: this.state.tracked.get(binding)?.size ?? 0 };
  }

  /** Puts a summary in the place of the first `count` entries that were read. */
  recordSummary(context: string, eventId: string, text: string, count: number): void {
    const content = [{ type: 'text' as const, text }];
    this.commit({ type: 'compaction', at: this.options.clock.now(), context, eventId, content, count });
  }

  /** What no model has read yet, in every context: entries, and batches by their latest notice. */
  news(): News[] {
    return [...this.state.contexts.values()].flatMap(({ id: context, unread, pending, frozen }) => {
      const batches = [...pending.values(), ...frozen.values()].map(({ latest, subject }) => ({ ...latest, subject }));
      return [...unread.values(), ...batches].map(({ tags, binding = '', message, subject }) => ({
        context,
        tags,
        binding,
        channelId: message?.channelId,
        subject,
      }));
    });
  }

  recordReply(context: string, eventId: string, text: string): void {
    const content = [{ type: 'text' as const, text }];
    this.commit({ type: 'reply', at: this.options.clock.now(), context, eventId, content });
  }

  /** What `context` holds and no model has read yet, in order. */
  unread(context: string): readonly Entry[] {
    return [...(this.state.contexts.get(context)?.unread.values() ?? [])];
  }

  /** A render that a crash cut off is never asked for again: its batch falls back (RFC-006 §3.2). */
  private endInterruptedRenders(): void {
    const end = { kind: 'fallback', why: 'the host was restarted during the render' } as const;
    const cutOff = [...this.state.subjects.values()].flatMap(({ frozen }) => frozen ?? []);
    for (const batch of cutOff.sort((a, b) => a.id - b.id)) this.endRender(batch, end);
  }

  private endRender(batch: Batch, end: RenderEnd): void {
    const audience = this.options.route(batch.latest);
    const at = this.options.clock.now();
    const { effect } = this.commit({ type: 'render-end', at, subject: batch.subject, batch: batch.id, end, audience });
    if (effect.type === 'rendered' && !effect.used) {
      const why = end.kind === 'lapsed' ? 'authority lapsed' : 'cancelled';
      this.options.audit.write(at, batch.latest.binding, { what: 'discarded', eventId: batch.latest.eventId, why });
    }
  }

  private settle(settings: Settings): void {
    const { maxSubjects, consumption } = this.state.settings;
    if (settings.maxSubjects === maxSubjects && settings.consumption === consumption) return;
    this.commit({ type: 'settings', at: this.options.clock.now(), settings });
  }

  /** @throws JournalFailure once the journal has failed */
  private commit(record: JournalRecord): { effect: Effect; durable: Promise<void> | undefined } {
    if (this.failure) throw this.failure;
    const { journal } = this.options;
    const seq = this.state.applied + 1;
    const durable = journal.append({ seq, record })?.catch((error: Error) => this.fail(error));
    this.lastDurable = durable;
    const effect = reduce(this.state, record);
    this.state.applied = seq;
    if (this.checkpoints && journal.wantsCheckpoint) journal.keep(this.checkpoints.take());
    return { effect, durable };
  }

  /**
   * What is not on disk must not be answered, and what comes after it cannot be kept either: nothing is decided any more.
   * Servers repeat what had no answer to the process that takes over.
   */
  private fail(error: Error): never {
    if (!this.failure) {
      this.failure = new JournalFailure(error);
      this.emit('failed', this.failure);
    }
    throw this.failure;
  }
}
