import type { Clock } from './clock.js';
import type { Batch } from './core/batch.js';
import type { Entry } from './core/context.js';
import type { RenderEnd } from './core/deferred.js';
import type { AdmittedOccurrence } from './core/occurrence.js';
import { findReceipt, type Receipt } from './core/receipts.js';
import { type Effect, type JournalRecord, reduce } from './core/reducer.js';
import { createState, type HostState, type StateOptions } from './core/state.js';

/** Where records go before they take effect. */
export interface Journal {
  append(record: JournalRecord): void;
}

export interface EngineOptions extends StateOptions {
  readonly clock: Clock;
  readonly journal: Journal;
  /** The contexts current policy shows a fresh event to. */
  readonly route: (occurrence: AdmittedOccurrence) => readonly string[];
  /** Asks the batch's server for its content; always settles, within a bound. */
  readonly render: (batch: Batch) => Promise<RenderEnd>;
}

export type Admission =
  | { readonly kind: 'new'; readonly receipt: Receipt }
  /** A retry inside the window: the original answer, nothing else happened (RFC-006 §3.1). */
  | { readonly kind: 'duplicate'; readonly receipt: Receipt };

/** The reducer with its journal and clock: the one place where the host's state changes. */
export class Engine {
  private readonly state: HostState;
  private readonly renders = new Map<number, Promise<void>>();

  constructor(private readonly options: EngineOptions) {
    this.state = createState(options);
  }

  admit(occurrence: AdmittedOccurrence, retryWindowMs: number): Admission {
    const at = this.options.clock.now();
    const known = findReceipt(this.state.receipts, occurrence.binding, occurrence.eventId, at);
    if (known) return { kind: 'duplicate', receipt: known };
    const audience = this.options.route(occurrence);
    const effect = this.commit({ type: 'occurrence', at, occurrence, audience, retryWindowMs });
    return { kind: 'new', receipt: effect.type === 'receipt' ? effect.receipt : {} };
  }

  /**
   * Assembles `context` for a request: its batches are rendered, all at once, then everything unread in it is consumed
   * (RFC-006 §3.3, §5.3).
   */
  async assemble(context: string): Promise<{ entries: readonly Entry[]; consumed: readonly Entry[] }> {
    // A second round takes the batches that had to wait for another assembly's render of the same subject.
    if (await this.renderFor(context)) await this.renderFor(context);
    const effect = this.commit({ type: 'assembly', at: this.options.clock.now(), context });
    if (effect.type !== 'assembled') throw new Error(`assembly of ${context} gave ${effect.type}`);
    return effect;
  }

  /** Whether `context` holds anything that no model has read, rendered or not. */
  hasNews(context: string): boolean {
    const found = this.state.contexts.get(context);
    return found !== undefined && found.unread.size + found.pending.size + found.frozen.size > 0;
  }

  private async renderFor(context: string): Promise<boolean> {
    const effect = this.commit({ type: 'render-start', at: this.options.clock.now(), context });
    if (effect.type !== 'rendering') return false;
    for (const batch of effect.started) this.renders.set(batch.id, this.render(batch));
    const all = [...effect.started, ...effect.underWay];
    await Promise.all(all.map((batch) => this.renders.get(batch.id)));
    return effect.blocked;
  }

  private async render(batch: Batch): Promise<void> {
    const end = await this.options.render(batch);
    const { subject, latest, id } = batch;
    this.commit({
      type: 'render-end',
      at: this.options.clock.now(),
      subject,
      batch: id,
      end,
      audience: this.options.route(latest),
    });
    this.renders.delete(id);
  }

  recordReply(context: string, eventId: string, text: string): void {
    const content = [{ type: 'text' as const, text }];
    this.commit({ type: 'reply', at: this.options.clock.now(), context, eventId, content });
  }

  /** What `context` holds and no model has read yet, in order. */
  unread(context: string): readonly Entry[] {
    return [...(this.state.contexts.get(context)?.unread.values() ?? [])];
  }

  private commit(record: JournalRecord): Effect {
    this.options.journal.append(record);
    return reduce(this.state, record);
  }
}
