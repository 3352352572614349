import type { CoalesceResult, ContentBlock } from '@mcpl-bridges/protocol';
import { type Batch, joinBatch, openBatch } from './batch.js';
import { append, type Entry, entryOf } from './context.js';
import type { AdmittedOccurrence } from './occurrence.js';
import { lastIn, Prior } from './prior.js';
import { contextOf, type HostState } from './state.js';
import type { Subject } from './subject.js';

/**
 * A deferred notice (RFC-006 §5.4 rules 1 and 2): it joins the subject's pending batch, or opens one. An unread plain
 * occupant gives way to it. A batch that is already being rendered is not touched.
 */
export const applyNotice = (
  state: HostState,
  subject: Subject,
  subjectId: string,
  occurrence: AdmittedOccurrence,
  audience: readonly string[],
): CoalesceResult => {
  const prior = new Prior();
  const displaced = vacate(state, subject, prior);
  const { pending } = subject;
  if (pending) {
    prior.add(pending.latest.eventId);
    joinBatch(pending, occurrence);
    narrow(state, subject, pending, audience);
    return { outcome: 'replaced', ...prior.result };
  }
  const contexts = displaced.length > 0 ? displaced.filter((id) => audience.includes(id)) : audience;
  if (contexts.length > 0) {
    const batch = openBatch(state.nextBatch++, subjectId, contexts, occurrence);
    subject.pending = batch;
    for (const id of batch.contexts) contextOf(state, id).pending.set(batch.id, batch);
  }
  return { outcome: displaced.length > 0 ? 'replaced' : 'first', ...prior.result };
};

/** Removes the unread plain occupants and returns the contexts that held them. */
const vacate = (state: HostState, subject: Subject, prior: Prior): string[] => {
  const held = [...subject.occupants];
  for (const [id, slot] of held) {
    prior.add(lastIn(state, subject, id));
    contextOf(state, id).unread.delete(slot);
  }
  subject.occupants.clear();
  return held.map(([id]) => id);
};

const narrow = (state: HostState, subject: Subject, batch: Batch, audience: readonly string[]): void => {
  for (const id of batch.contexts) {
    if (audience.includes(id)) continue;
    batch.contexts.delete(id);
    contextOf(state, id).pending.delete(batch.id);
  }
  if (batch.contexts.size === 0) delete subject.pending;
};

/**
 * Cancels what is pending and what is being rendered (RFC-006 §5.4 rules 6 and 7); a late result finds nothing to
 * materialise. Returns the contexts that were waiting for either, with the latest notice of what each waited for.
 */
export const cancelBatches = (state: HostState, subject: Subject): Map<string, string> => {
  const waiting = new Map<string, string>();
  for (const batch of [subject.frozen, subject.pending]) {
    if (!batch) continue;
    for (const id of batch.contexts) {
      waiting.set(id, batch.latest.eventId);
      const context = contextOf(state, id);
      context.pending.delete(batch.id);
      context.frozen.delete(batch.id);
    }
  }
  delete subject.pending;
  delete subject.frozen;
  return waiting;
};

/**
 * Freezes the batches that wait for `contextId`; one render serves all contexts of a batch (RFC-006 §5.3). A second
 * batch of a subject waits until the first has ended: what it starts from is not known before.
 */
export const freezeBatches = (state: HostState, contextId: string): { started: Batch[]; blocked: boolean } => {
  const batches = [...contextOf(state, contextId).pending.values()];
  const startable = batches.filter((batch) => !state.subjects.get(batch.subject)?.frozen);
  for (const batch of startable) {
    const subject = state.subjects.get(batch.subject);
    if (!subject) continue;
    delete subject.pending;
    subject.frozen = batch;
    state.subjects.touch(batch.subject);
    for (const id of batch.contexts) {
      const context = contextOf(state, id);
      context.pending.delete(batch.id);
      context.frozen.set(batch.id, batch);
    }
  }
  return { started: startable, blocked: startable.length < batches.length };
};

/** How a render ended. */
export type RenderEnd =
  | { readonly kind: 'rendered'; readonly content: readonly ContentBlock[]; readonly timestamp?: string }
  /** Time-out, error or disconnect: the fallback that was admitted with the latest notice. */
  | { readonly kind: 'fallback'; readonly why: string }
  /** The server may not show this any more: nothing is materialised. */
  | { readonly kind: 'lapsed' };

/** Ends a frozen batch, unless it was cancelled meanwhile. Returns whether its result was used. */
export const endRender = (
  state: HostState,
  subjectId: string,
  batchId: number,
  end: RenderEnd,
  audience: readonly string[],
): boolean => {
  const subject = state.subjects.get(subjectId);
  const batch = subject?.frozen;
  if (!subject || !batch || batch.id !== batchId) return false;
  delete subject.frozen;
  state.subjects.touch(subjectId);
  for (const id of batch.contexts) contextOf(state, id).frozen.delete(batch.id);
  if (end.kind === 'lapsed') return false;
  const content = end.kind === 'rendered' ? end.content : batch.latest.content;
  if (content.length === 0) return true;
  const timestamp = end.kind === 'rendered' ? (end.timestamp ?? batch.latest.timestamp) : batch.latest.timestamp;
  const entry = { ...entryOf(batch.latest, { id: subjectId }), content, timestamp, batch: batch.id };
  for (const id of batch.contexts) {
    if (!audience.includes(id)) continue;
    subject.occupants.set(id, append(contextOf(state, id), entry));
  }
  return true;
};

/** What `concerns` of the subject's unread occupants stays where it is for good, as if it had been read. */
const seal = (state: HostState, subject: Subject, concerns: (entry: Entry) => boolean): void => {
  for (const [id, slot] of subject.occupants) {
    const entry = contextOf(state, id).unread.get(slot);
    if (!entry || !concerns(entry)) continue;
    subject.occupants.delete(id);
    subject.read.set(id, entry.eventId);
  }
};

/**
 * `entry` of this subject was read in one context. A render stays in every other that received it: what the server
 * describes next starts from there. Under a shared boundary everything does (RFC-006 §3.3 "Per context").
 */
export const markRead = (state: HostState, subject: Subject, contextId: string, entry: Entry): void => {
  subject.occupants.delete(contextId);
  subject.read.set(contextId, entry.eventId);
  if (state.settings.consumption === 'shared') seal(state, subject, () => true);
  else if (entry.batch !== undefined) seal(state, subject, ({ batch }) => batch === entry.batch);
};

/** Makes everything unread ordinary: batches become their fallback, slots are emptied, every history is unknown. */
export const sealAll = (state: HostState): void => {
  const batches = [...state.subjects.values()].flatMap(({ frozen, pending }) => [frozen ?? [], pending ?? []].flat());
  for (const batch of batches.sort((a, b) => a.id - b.id)) {
    const subject = state.subjects.get(batch.subject);
    if (subject) subject.frozen = batch;
    endRender(state, batch.subject, batch.id, { kind: 'fallback', why: 'sealed' }, [...batch.contexts]);
    for (const contextId of batch.contexts) contextOf(state, contextId).pending.delete(batch.id);
  }
  state.subjects.clear();
  state.tracked.clear();
};
