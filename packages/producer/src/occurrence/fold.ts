import type { MessageOccurrence, Occurrence, StateOccurrence } from './occurrence.js';

/** What two unsent occurrences of one subject come to. */
export type Folded =
  /** Both are sent, in order. */
  | { readonly kind: 'keep-both' }
  /** `occurrence` is sent in the earlier one's place. */
  | { readonly kind: 'replace'; readonly occurrence: Occurrence }
  /** The earlier one is not sent; the later one is, in its own place. */
  | { readonly kind: 'supersede' }
  /** Neither is sent: nobody ever heard of the subject. */
  | { readonly kind: 'cancel' };

const KEEP_BOTH = { kind: 'keep-both' } as const;

/**
 * Folds what has happened since an occurrence was queued into it. Only for an `earlier` that was never attempted: what
 * may have reached the host is never folded. A folded first one stays the first, with its id and `initial`.
 */
export const fold = (earlier: Occurrence, later: Occurrence): Folded => {
  if (earlier.kind === 'message' && later.kind === 'message') return foldMessages(earlier, later);
  if (earlier.kind === 'state' && later.kind === 'state') return foldStates(earlier, later);
  // Notices are the host's to fold: each may carry something that the render needs.
  return KEEP_BOTH;
};

const foldMessages = (earlier: MessageOccurrence, later: MessageOccurrence): Folded => {
  if (earlier.action === 'delete' || later.action === 'create') return KEEP_BOTH;
  if (later.action === 'delete') return earlier.initial ? { kind: 'cancel' } : { kind: 'supersede' };
  return { kind: 'replace', occurrence: takenUp(earlier, later, earlier.action === 'create') };
};

const foldStates = (earlier: StateOccurrence, later: StateOccurrence): Folded => {
  if (earlier.action === 'withdraw') return KEEP_BOTH;
  if (later.action === 'withdraw') return earlier.initial ? { kind: 'cancel' } : { kind: 'supersede' };
  return { kind: 'replace', occurrence: takenUp(earlier, later, false) };
};

/** A later occurrence; in the name of the earlier one where that was the first of its subject. */
const takenUp = <T extends MessageOccurrence | StateOccurrence>(earlier: T, later: T, isCreate: boolean): T => {
  if (!isCreate && !earlier.initial) return later;
  const { content, tags, origin } = later;
  return { ...earlier, content, tags, origin };
};
