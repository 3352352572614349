import type { Clock } from './clock.js';
import type { Entry } from './core/context.js';
import type { AdmittedOccurrence } from './core/occurrence.js';
import { findReceipt, type Receipt } from './core/receipts.js';
import { type Effect, type JournalRecord, reduce } from './core/reducer.js';
import { createState } from './core/state.js';

/** Where records go before they take effect. */
export interface Journal {
  append(record: JournalRecord): void;
}

export interface EngineOptions {
  readonly clock: Clock;
  readonly journal: Journal;
  /** The contexts current policy shows a fresh event to. */
  readonly route: (occurrence: AdmittedOccurrence) => readonly string[];
}

export type Admission =
  | { readonly kind: 'new'; readonly receipt: Receipt }
  /** A retry inside the window: the original answer, nothing else happened (RFC-006 §3.1). */
  | { readonly kind: 'duplicate'; readonly receipt: Receipt };

/** The reducer with its journal and clock: the one place where the host's state changes. */
export class Engine {
  private readonly state = createState();

  constructor(private readonly options: EngineOptions) {}

  admit(occurrence: AdmittedOccurrence, retryWindowMs: number): Admission {
    const at = this.options.clock.now();
    const known = findReceipt(this.state.receipts, occurrence.binding, occurrence.eventId, at);
    if (known) return { kind: 'duplicate', receipt: known };
    const audience = this.options.route(occurrence);
    const effect = this.commit({ type: 'occurrence', at, occurrence, audience, retryWindowMs });
    return { kind: 'new', receipt: effect.type === 'receipt' ? effect.receipt : {} };
  }

  /** Assembles `context` for a request: everything unread in it is consumed (RFC-006 §3.3). */
  assemble(context: string): { entries: readonly Entry[]; consumed: readonly Entry[] } {
    const effect = this.commit({ type: 'assembly', at: this.options.clock.now(), context });
    if (effect.type !== 'assembled') throw new Error(`assembly of ${context} gave ${effect.type}`);
    return effect;
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
