import type { CoalesceResult, Outcome } from '@mcpl-bridges/protocol';
import { append, entryOf, replace } from './context.js';
import { cancelBatches } from './deferred.js';
import type { AdmittedOccurrence, Scope } from './occurrence.js';
import { lastIn, Prior } from './prior.js';
import { contextOf, type HostState } from './state.js';
import { historyIn, type Subject } from './subject.js';

/** Most conservative first: what is reported when contexts differ (RFC-006 §3.3 "Per context"). */
const CONSERVATIVE: readonly Outcome[] = ['appended', 'replaced', 'first', 'noted', 'consumed', 'retracted'];

const mostConservative = (outcomes: ReadonlySet<Outcome>, otherwise: Outcome): Outcome =>
  CONSERVATIVE.find((one) => outcomes.has(one)) ?? otherwise;

/** A channel holds messages, whose place matters; a feature set's gauges are true as of now (RFC-006 §4.1). */
const placeIn = (scope: Scope): 'same' | 'tail' => (scope.kind === 'channel' ? 'same' : 'tail');

/**
 * Plain coalescing (RFC-006 §4). While an occupant or a batch is unread anywhere, the audience is the subject's own
 * contexts cut down to those still allowed; otherwise the occurrence is a fresh event for its whole audience.
 */
export const applyPlain = (
  state: HostState,
  subject: Subject,
  subjectId: string,
  occurrence: AdmittedOccurrence,
  scope: Scope,
  audience: readonly string[],
): CoalesceResult => {
  if (occurrence.message) subject.message = occurrence.message;
  const entry = entryOf(occurrence, { id: subjectId, message: subject.message });
  const prior = new Prior();
  const outcomes = new Set<Outcome>();
  const allowed = new Set(audience);
  const waiting = cancelBatches(state, subject);
  const pending = subject.occupants.size > 0 || waiting.size > 0;
  const targets = pending ? new Set([...subject.occupants.keys(), ...waiting.keys(), ...subject.read.keys()]) : allowed;

  for (const contextId of targets) {
    const context = contextOf(state, contextId);
    const slot = subject.occupants.get(contextId);
    prior.add(waiting.get(contextId) ?? lastIn(state, subject, contextId));
    if (!allowed.has(contextId)) {
      if (slot !== undefined) context.unread.delete(slot);
      subject.occupants.delete(contextId);
    } else if (slot !== undefined) {
      subject.occupants.set(contextId, replace(context, slot, entry, placeIn(scope)));
      outcomes.add('replaced');
    } else {
      subject.occupants.set(contextId, append(context, entry));
      outcomes.add(appendedAs(subject, contextId, waiting.has(contextId)));
    }
  }
  return { outcome: mostConservative(outcomes, pending ? 'replaced' : 'appended'), ...prior.result };
};

/** In place of a batch it is a replacement, whatever was read before (RFC-006 §4). */
const appendedAs = (subject: Subject, contextId: string, inPlaceOfBatch: boolean): Outcome => {
  if (inPlaceOfBatch) return 'replaced';
  return historyIn(subject, contextId) === 'none' ? 'first' : 'appended';
};

/**
 * Retraction (RFC-006 §6): whatever is unread goes everywhere, and the notice is appended where a version was read or
 * may have been. The slot is empty afterwards: the notice is no occupant, the history stays.
 */
export const applyRetract = (
  state: HostState,
  subject: Subject,
  occurrence: AdmittedOccurrence,
  audience: readonly string[],
): CoalesceResult => {
  const prior = new Prior();
  const outcomes = new Set<Outcome>();
  const waiting = cancelBatches(state, subject);
  const concerned = new Set([...subject.occupants.keys(), ...waiting.keys(), ...subject.read.keys()]);
  if (subject.elsewhere === 'unknown') for (const contextId of audience) concerned.add(contextId);
  const allowed = new Set(audience);

  for (const contextId of concerned) {
    const context = contextOf(state, contextId);
    const slot = subject.occupants.get(contextId);
    prior.add(waiting.get(contextId) ?? lastIn(state, subject, contextId));
    if (slot !== undefined) context.unread.delete(slot);
    if (historyIn(subject, contextId) === 'none' || !allowed.has(contextId)) {
      outcomes.add('retracted');
    } else if (occurrence.content.length === 0) {
      outcomes.add('consumed');
    } else {
      // The notice speaks of the message that is gone, and fills no slot.
      append(context, entryOf(occurrence, { message: subject.message }));
      outcomes.add('noted');
    }
  }
  subject.occupants.clear();
  return { outcome: mostConservative(outcomes, 'retracted'), ...prior.result };
};
