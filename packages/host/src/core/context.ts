import type { ContentBlock } from '@mcpl-bridges/protocol';
import type { Batch } from './batch.js';
import type { AdmittedOccurrence, MessageRef } from './occurrence.js';
import { TrackedMap } from './tracked-map.js';

/** One thing a model reads. */
export interface Entry {
  readonly role: 'user' | 'assistant';
  /** The server it came from; absent on what the host itself wrote. */
  readonly binding?: string;
  readonly eventId: string;
  readonly timestamp: string;
  readonly content: readonly ContentBlock[];
  readonly tags: readonly string[];
  readonly message?: MessageRef;
  /** The subject whose slot this entry fills; a deletion notice fills none. */
  readonly subject?: string;
  /** The batch it materialised from. */
  readonly batch?: number;
}

/**
 * What one conversation of one agent holds. `read` grows at its end, and only the host's own summary may take
 * the place of its beginning; `unread`, in order of position, is what senders may still change. The border between them is the consumption boundary (RFC-006 §3.3).
 */
export interface Context {
  readonly id: string;
  /** Its number among all contexts. */
  readonly n: number;
  readonly read: Entry[];
  /** The ordinal of `read[0]` among everything that was ever read here: what a summary stands for counts as one. */
  readFrom: number;
  readonly unread: TrackedMap<number, Entry>;
  /** Batches that will be rendered for this context, and those that are being rendered, by their id. */
  readonly pending: Map<number, Batch>;
  readonly frozen: Map<number, Batch>;
  nextSlot: number;
}

export const createContext = (id: string, n: number): Context => ({
  id,
  n,
  read: [],
  readFrom: 0,
  unread: new TrackedMap(),
  pending: new Map(),
  frozen: new Map(),
  nextSlot: 1,
});

/** What a model reads of an occurrence. Without a message of its own it speaks of its subject's. */
export const entryOf = (
  occurrence: AdmittedOccurrence,
  subject: { readonly id?: string; readonly message?: MessageRef | undefined } = {},
): Entry => {
  const message = occurrence.message ?? subject.message;
  return {
    role: 'user',
    binding: occurrence.binding,
    eventId: occurrence.eventId,
    timestamp: occurrence.timestamp,
    content: occurrence.content,
    tags: occurrence.tags,
    ...(message ? { message } : {}),
    ...(subject.id === undefined ? {} : { subject: subject.id }),
  };
};

/** Adds `entry` behind everything unread and returns its slot. */
export const append = (context: Context, entry: Entry): number => {
  const slot = context.nextSlot++;
  context.unread.set(slot, entry);
  return slot;
};

/**
 * Puts `entry` in place of an unread one. Chat sits where the message sat, so that replies stay behind it; a gauge goes
 * to the tail, being true as of its own time (RFC-006 §4.1). Returns the slot it has now.
 */
export const replace = (context: Context, slot: number, entry: Entry, place: 'same' | 'tail'): number => {
  if (place === 'same') {
    context.unread.set(slot, entry);
    return slot;
  }
  context.unread.delete(slot);
  return append(context, entry);
};

/** Moves everything unread behind the boundary, for good, and returns it. */
export const consume = (context: Context): Entry[] => {
  const consumed = [...context.unread.values()];
  for (const entry of consumed) context.read.push(entry);
  context.unread.clear();
  return consumed;
};
