import type { Batch } from './batch.js';
import type { StoredContext, StoredCounters, StoredEntry, StoredReceipt, StoredSubject } from './checkpoint.js';
import { createContext } from './context.js';
import { createState, type HostState } from './state.js';
import type { Subject } from './subject.js';
import { trackedOf } from './tracking.js';

/** The tables that checkpoints have made. */
export interface StoredState {
  readonly counters: StoredCounters;
  readonly subjects: Iterable<StoredSubject>;
  /** In the order of their numbers. */
  readonly receipts: Iterable<StoredReceipt>;
  readonly contexts: Iterable<StoredContext>;
  /** By context, in the order of their ordinals. */
  readonly read: Iterable<StoredEntry>;
  /** By context, in the order of their slots. */
  readonly unread: Iterable<StoredEntry>;
}

/** The state that the tables hold. */
export const restoreState = (stored: StoredState): HostState => {
  const { applied, nextBatch, nextSubject, settings } = stored.counters;
  const state = Object.assign(createState(settings), { applied, nextBatch, nextSubject });
  const contexts = [...stored.contexts]
    .sort((a, b) => a.n - b.n)
    .map(({ n, id, nextSlot, readFrom }) => {
      const context = Object.assign(createContext(id, n), { nextSlot, readFrom });
      state.contexts.set(id, context);
      return context;
    });
  for (const { context, entry } of stored.read) contexts[context]?.read.push(entry);
  for (const { context, at, entry } of stored.unread) contexts[context]?.unread.set(at, entry);
  for (const { id, n, receipt, until } of stored.receipts) state.receipts.kept.set(id, { n, receipt, until });
  const subjects = [...stored.subjects].sort((a, b) => a.touchedAt - b.touchedAt);
  // In the order they were opened, which is the order they are rendered in.
  const batches = subjects.flatMap((subject) => restoreSubject(state, subject));
  for (const { batch, place } of batches.sort((a, b) => a.batch.id - b.batch.id))
    for (const id of batch.contexts) state.contexts.get(id)?.[place].set(batch.id, batch);
  return state;
};

const restoreSubject = (state: HostState, stored: StoredSubject): { batch: Batch; place: 'pending' | 'frozen' }[] => {
  const { n, id, binding, elsewhere, read, occupants, message, touchedAt } = stored;
  const subject: Subject = {
    n,
    id,
    binding,
    elsewhere,
    read: new Map(read),
    occupants: new Map(occupants),
    touchedAt,
    ...(message ? { message } : {}),
  };
  state.subjects.set(id, subject);
  trackedOf(state, binding).add(subject);
  return (['pending', 'frozen'] as const).flatMap((place) => {
    const kept = stored[place];
    if (!kept) return [];
    const batch: Batch = { ...kept, notices: [...kept.notices], contexts: new Set(kept.contexts) };
    subject[place] = batch;
    return [{ batch, place }];
  });
};
