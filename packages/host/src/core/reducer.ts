import type { ContentBlock } from '@mcpl-bridges/protocol';
import { applyPlain, applyRetract } from './coalesce.js';
import { append, consume, type Entry, entryOf } from './context.js';
import type { AdmittedOccurrence } from './occurrence.js';
import { keepReceipt, pruneReceipts, type Receipt } from './receipts.js';
import { contextOf, type HostState } from './state.js';

/** One line of the journal: everything that ever changes the host's state, with the time it happened. */
export type JournalRecord =
  | {
      readonly type: 'occurrence';
      /** ms of the host's clock. */
      readonly at: number;
      readonly occurrence: AdmittedOccurrence;
      /** The contexts current policy would show a fresh event to. */
      readonly audience: readonly string[];
      /** The retry window advertised when this was admitted, ms. */
      readonly retryWindowMs: number;
    }
  | { readonly type: 'assembly'; readonly at: number; readonly context: string }
  | {
      readonly type: 'reply';
      readonly at: number;
      readonly context: string;
      readonly eventId: string;
      readonly content: readonly ContentBlock[];
    };

/** What a record brought about, for whoever appended it. */
export type Effect =
  | { readonly type: 'receipt'; readonly receipt: Receipt }
  /** Everything the context holds now, oldest first; `consumed` is what this assembly moved over the boundary. */
  | { readonly type: 'assembled'; readonly entries: readonly Entry[]; readonly consumed: readonly Entry[] }
  | { readonly type: 'recorded' };

/**
 * The host's whole behaviour as a function of its journal: no clock, no I/O, no randomness. Replaying the same records
 * over an empty state gives the same state. It owns and changes `state` in place, because copying maps of a million
 * subjects for each occurrence is what a host cannot afford.
 */
export const reduce = (state: HostState, record: JournalRecord): Effect => {
  switch (record.type) {
    case 'occurrence': {
      const receipt = admit(state, record.occurrence, record.audience);
      pruneReceipts(state.receipts, record.at);
      const { binding, eventId } = record.occurrence;
      keepReceipt(state.receipts, binding, eventId, receipt, record.at + record.retryWindowMs);
      return { type: 'receipt', receipt };
    }
    case 'assembly':
      return assemble(state, record.context);
    case 'reply':
      contextOf(state, record.context).read.push({
        role: 'assistant',
        eventId: record.eventId,
        timestamp: new Date(record.at).toISOString(),
        content: record.content,
        tags: [],
      });
      return { type: 'recorded' };
  }
};

const admit = (state: HostState, occurrence: AdmittedOccurrence, audience: readonly string[]): Receipt => {
  const { treatment } = occurrence;
  switch (treatment.kind) {
    case 'ordinary':
      for (const context of audience) append(contextOf(state, context), entryOf(occurrence, undefined));
      return {};
    case 'plain':
      return { coalesce: applyPlain(state, occurrence, treatment, audience) };
    case 'retract':
      return { coalesce: applyRetract(state, occurrence, treatment, audience) };
  }
};

/** Consumption happens here, at assembly, whatever becomes of the request (RFC-006 §3.3). */
const assemble = (state: HostState, contextId: string): Effect => {
  const context = contextOf(state, contextId);
  const consumed = consume(context);
  for (const entry of consumed) {
    if (entry.subject === undefined) continue;
    const subject = state.subjects.get(entry.subject);
    subject?.read.add(contextId);
    subject?.occupants.delete(contextId);
  }
  return { type: 'assembled', entries: [...context.read], consumed };
};
