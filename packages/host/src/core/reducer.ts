import type { ContentBlock } from '@mcpl-bridges/protocol';
import type { AuditEntry } from '../audit/audit.js';
import type { Batch } from './batch.js';
import { applyPlain, applyRetract } from './coalesce.js';
import { append, consume, type Entry, entryOf } from './context.js';
import { applyNotice, endRender, freezeBatches, markRead, type RenderEnd, sealAll } from './deferred.js';
import { type Held, heldBy } from './held.js';
import { type AdmittedOccurrence, subjectIdOf } from './occurrence.js';
import { type Receipt, receiptId } from './receipts.js';
import { contextOf, type HostState, type Settings } from './state.js';
import { track } from './tracking.js';

/** One line of the journal: everything that ever changes the host's state, with the time it happened. */
export type JournalRecord =
  | {
      readonly type: 'occurrence';
      /** ms of the host's clock. */
      readonly at: number;
      readonly occurrence: AdmittedOccurrence;
      /** The contexts current policy would show a fresh event to. */
      readonly audience: readonly string[];
      /** The retry window advertised when this was admitted, ms; 0 for what is not recognised when it is repeated. */
      readonly retryWindowMs: number;
    }
  /** An assembly of `context` begins: what waits for it is frozen and asked for. */
  | { readonly type: 'render-start'; readonly at: number; readonly context: string }
  | {
      readonly type: 'render-end';
      readonly at: number;
      readonly subject: string;
      readonly batch: number;
      readonly end: RenderEnd;
      readonly audience: readonly string[];
    }
  /** The rules from here on: a replay follows those that its records were made under. */
  | { readonly type: 'settings'; readonly at: number; readonly settings: Settings }
  /** A host that keeps nothing replaceable over a restart: what is unread becomes ordinary (RFC-006 §3.2). */
  | { readonly type: 'seal'; readonly at: number }
  /** A summary takes the place of the first `count` entries that were read: what it tells of. */
  | {
      readonly type: 'compaction';
      readonly at: number;
      readonly count: number;
      readonly context: string;
      readonly eventId: string;
      readonly content: readonly ContentBlock[];
    }
  | { readonly type: 'assembly'; readonly at: number; readonly context: string }
  | {
      readonly type: 'reply';
      readonly at: number;
      readonly context: string;
      readonly eventId: string;
      readonly content: readonly ContentBlock[];
    };

/** What an admitted occurrence brought about. */
export interface ReceiptEffect {
  readonly type: 'receipt';
  readonly receipt: Receipt;
  /** The subject, unless the occurrence is ordinary or found no slot. */
  readonly subject: string | undefined;
  /** Contexts that have something of the occurrence to read. */
  readonly unreadIn: readonly string[];
  /** Contexts in which the subject's unread content was taken back. */
  readonly emptiedIn: readonly string[];
  readonly audit: readonly AuditEntry[];
}

/** What a record brought about, for whoever appended it. */
export type Effect =
  | ReceiptEffect
  /** Everything the context holds now, oldest first; `consumed` is what this assembly moved over the boundary. */
  | { readonly type: 'assembled'; readonly entries: readonly Entry[]; readonly consumed: readonly Entry[] }
  /**
   * Batches whose render starts now, and those that another assembly is already waiting for; `blocked` where some can
   * only start when one of the latter has ended.
   */
  | {
      readonly type: 'rendering';
      readonly started: readonly Batch[];
      readonly underWay: readonly Batch[];
      readonly blocked: boolean;
    }
  /** Whether the result was used; a cancelled batch discards it. */
  | { readonly type: 'rendered'; readonly used: boolean }
  | { readonly type: 'recorded' };

/**
 * The host's whole behaviour as a function of its journal: no clock, no I/O, no randomness. Replaying the same records
 * over an empty state gives the same state. It owns and changes `state` in place, because copying maps of a million
 * subjects for each occurrence is what a host cannot afford.
 */
export const reduce = (state: HostState, record: JournalRecord): Effect => {
  switch (record.type) {
    case 'occurrence': {
      const id = subjectIdOf(record.occurrence);
      const before = heldBy(state, id);
      const receipt = admit(state, id, record.occurrence, record.audience);
      state.receipts.prune(record.at);
      const { binding, eventId } = record.occurrence;
      const until = record.at + record.retryWindowMs;
      if (until > record.at) state.receipts.keep(receiptId(binding, eventId), { n: state.applied + 1, receipt, until });
      return { type: 'receipt', receipt, ...changed(state, id, record, before) };
    }
    case 'render-start': {
      const underWay = [...contextOf(state, record.context).frozen.values()];
      return { type: 'rendering', underWay, ...freezeBatches(state, record.context) };
    }
    case 'render-end': {
      const { subject, batch, end, audience } = record;
      return { type: 'rendered', used: endRender(state, subject, batch, end, audience) };
    }
    case 'assembly':
      return assemble(state, record.context);
    case 'settings':
      state.settings = record.settings;
      return { type: 'recorded' };
    case 'seal':
      sealAll(state);
      return { type: 'recorded' };
    case 'reply':
      contextOf(state, record.context).read.push(ownEntry('assistant', record));
      return { type: 'recorded' };
    case 'compaction': {
      const context = contextOf(state, record.context);
      context.read.splice(0, record.count, ownEntry('user', record));
      context.readFrom += record.count - 1;
      return { type: 'recorded' };
    }
  }
};

const changed = (
  state: HostState,
  id: string | undefined,
  { occurrence, audience }: { readonly occurrence: AdmittedOccurrence; readonly audience: readonly string[] },
  before: Held,
): Pick<ReceiptEffect, 'subject' | 'unreadIn' | 'emptiedIn' | 'audit'> => {
  const subject = id !== undefined && state.subjects.has(id) ? id : undefined;
  const after = heldBy(state, id);
  const emptiedIn = [...before.contexts].filter((context) => !after.contexts.has(context));
  const audit = auditOf(occurrence, before, after);
  if (subject !== undefined && occurrence.treatment.kind !== 'retract')
    return { subject, unreadIn: [...after.contexts], emptiedIn, audit };
  const showing = audience.filter((context) => isNewest(state, context, occurrence.eventId));
  return { subject, unreadIn: showing, emptiedIn, audit };
};

/** What is unread no more, and why; and what has joined a batch. */
const auditOf = ({ eventId, treatment }: AdmittedOccurrence, before: Held, after: Held): AuditEntry[] => {
  const what = treatment.kind === 'retract' ? 'withdrawn' : 'displaced';
  const gone = [...before.eventIds].filter((one) => !after.eventIds.has(one) && one !== eventId);
  const entries: AuditEntry[] = gone.map((one) => ({ what, eventId: one, by: eventId }));
  if (treatment.kind === 'deferred' && before.opened !== undefined && before.opened === after.opened)
    entries.push({ what: 'folded', eventId, into: before.opened });
  return entries;
};

const isNewest = (state: HostState, contextId: string, eventId: string): boolean => {
  const context = contextOf(state, contextId);
  return context.unread.get(context.nextSlot - 1)?.eventId === eventId;
};

const admit = (
  state: HostState,
  id: string | undefined,
  occurrence: AdmittedOccurrence,
  audience: readonly string[],
): Receipt => {
  const { treatment, binding } = occurrence;
  if (treatment.kind === 'ordinary' || id === undefined) {
    appendOrdinary(state, occurrence, audience);
    return {};
  }
  const subject = track(state, binding, id, treatment.kind !== 'retract' && treatment.initial);
  if (!subject) return withoutSlot(state, occurrence, treatment.kind, audience);
  switch (treatment.kind) {
    case 'plain':
      return { coalesce: applyPlain(state, subject, id, occurrence, treatment.scope, audience) };
    case 'retract':
      return { coalesce: applyRetract(state, subject, occurrence, audience) };
    case 'deferred':
      return { coalesce: applyNotice(state, subject, id, occurrence, audience) };
  }
};

const appendOrdinary = (state: HostState, occurrence: AdmittedOccurrence, audience: readonly string[]): void => {
  for (const context of audience) append(contextOf(state, context), entryOf(occurrence));
};

/** Out of slots the host appends, as one without coalescing would; it never refuses for that (RFC-006 §11). */
const withoutSlot = (
  state: HostState,
  occurrence: AdmittedOccurrence,
  kind: 'plain' | 'retract' | 'deferred',
  audience: readonly string[],
): Receipt => {
  if (occurrence.content.length > 0) appendOrdinary(state, occurrence, audience);
  if (kind !== 'retract') return { coalesce: { outcome: 'appended' } };
  return { coalesce: { outcome: occurrence.content.length > 0 ? 'noted' : 'consumed' } };
};

/** An entry that the host itself makes. */
const ownEntry = (
  role: Entry['role'],
  { at, eventId, content }: { at: number; eventId: string; content: readonly ContentBlock[] },
): Entry => ({ role, eventId, timestamp: new Date(at).toISOString(), content, tags: [] });

/** Consumption happens here, at assembly, whatever becomes of the request (RFC-006 §3.3). */
const assemble = (state: HostState, contextId: string): Effect => {
  const context = contextOf(state, contextId);
  const consumed = consume(context);
  for (const entry of consumed) {
    if (entry.subject === undefined) continue;
    const subject = state.subjects.get(entry.subject);
    if (!subject) continue;
    markRead(state, subject, contextId, entry);
    state.subjects.touch(entry.subject);
  }
  return { type: 'assembled', entries: [...context.read], consumed };
};
