import type { Occurrence } from './occurrence.js';

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

/**
 * Folds what has happened since an occurrence was queued into it. Only for an `earlier` that was never attempted: what
 * may have reached the host is never folded. A folded create stays the create, with its id and `initial`.
 */
export const fold = (earlier: Occurrence, later: Occurrence): Folded => {
  if (earlier.action === 'delete' || later.action === 'create') return { kind: 'keep-both' };
  if (later.action === 'delete') return earlier.initial ? { kind: 'cancel' } : { kind: 'supersede' };
  if (earlier.action === 'edit' && !earlier.initial) return { kind: 'replace', occurrence: later };
  const { content, tags, origin } = later;
  return { kind: 'replace', occurrence: { ...earlier, content, tags, origin } };
};
