import type { Notice } from '@mcpl-bridges/protocol';
import type { AdmittedOccurrence } from './occurrence.js';

/** Newest notices a batch keeps; older ones are counted and let go (RFC-006 §5.2 wants at least 64). */
const MAX_NOTICES = 64;

/**
 * A subject's notices on their way to one materialisation (RFC-006 §5.4). A batch is pending until an assembly starts
 * its render, which freezes it; later notices open another. It ends by materialising once, or by being cancelled.
 */
export interface Batch {
  readonly id: number;
  readonly subject: string;
  /** The latest notice: its content is the fallback, its tags and reply target are the batch's. */
  latest: AdmittedOccurrence;
  readonly notices: Notice[];
  /** Notices that were not kept. */
  dropped: number;
  /** Where the result will be shown; can only shrink. */
  readonly contexts: Set<string>;
}

export const openBatch = (
  id: number,
  subject: string,
  contexts: Iterable<string>,
  first: AdmittedOccurrence,
): Batch => {
  const batch: Batch = { id, subject, latest: first, notices: [], dropped: 0, contexts: new Set(contexts) };
  joinBatch(batch, first);
  return batch;
};

export const joinBatch = (batch: Batch, occurrence: AdmittedOccurrence): void => {
  const { treatment, eventId, timestamp } = occurrence;
  const data = treatment.kind === 'deferred' ? treatment.data : undefined;
  batch.latest = occurrence;
  batch.notices.push({ eventId, timestamp, ...(data === undefined ? {} : { data }) });
  if (batch.notices.length <= MAX_NOTICES) return;
  batch.notices.shift();
  batch.dropped += 1;
};
