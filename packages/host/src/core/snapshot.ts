import type { Batch } from './batch.js';
import { type Context, createContext, type Entry } from './context.js';
import type { MessageRef } from './occurrence.js';
import { createReceipts, type Receipt } from './receipts.js';
import { createState, type HostState, type Settings } from './state.js';
import type { Subject } from './subject.js';

interface StoredBatch extends Omit<Batch, 'contexts'> {
  readonly contexts: readonly string[];
}

interface StoredSubject {
  readonly id: string;
  readonly binding: string;
  readonly elsewhere: Subject['elsewhere'];
  readonly read: readonly (readonly [context: string, eventId: string])[];
  readonly occupants: readonly (readonly [context: string, slot: number])[];
  readonly pending?: StoredBatch;
  readonly frozen?: StoredBatch;
  readonly message?: MessageRef;
}

/** The host's state as plain JSON: what recovery starts from instead of the whole journal. */
export interface Snapshot {
  readonly contexts: readonly {
    readonly id: string;
    readonly read: readonly Entry[];
    readonly unread: readonly (readonly [slot: number, entry: Entry])[];
    readonly nextSlot: number;
  }[];
  readonly subjects: readonly StoredSubject[];
  readonly receipts: readonly (readonly [id: string, kept: { readonly receipt: Receipt; readonly until: number }])[];
  readonly nextBatch: number;
  readonly applied: number;
  readonly settings: Settings;
}

const storeBatch = (batch: Batch): StoredBatch => ({ ...batch, contexts: [...batch.contexts] });

export const takeSnapshot = (state: HostState): Snapshot => ({
  contexts: [...state.contexts.values()].map(({ id, read, unread, nextSlot }) => ({
    id,
    read,
    unread: [...unread],
    nextSlot,
  })),
  subjects: [...state.subjects].map(([id, subject]) => ({
    id,
    binding: subject.binding,
    elsewhere: subject.elsewhere,
    read: [...subject.read],
    occupants: [...subject.occupants],
    ...(subject.pending ? { pending: storeBatch(subject.pending) } : {}),
    ...(subject.frozen ? { frozen: storeBatch(subject.frozen) } : {}),
    ...(subject.message ? { message: subject.message } : {}),
  })),
  receipts: [...state.receipts.kept],
  nextBatch: state.nextBatch,
  applied: state.applied,
  settings: state.settings,
});

export const restoreSnapshot = (snapshot: Snapshot): HostState => {
  const state = createState(snapshot.settings);
  for (const { id, read, unread, nextSlot } of snapshot.contexts) {
    const context: Context = { ...createContext(id), read: [...read], unread: new Map(unread), nextSlot };
    state.contexts.set(id, context);
  }
  // In the order they were opened, which is the order they are rendered in.
  const batches = snapshot.subjects.flatMap((stored) => restoreSubject(state, stored));
  for (const { batch, place } of batches.sort((a, b) => a.batch.id - b.batch.id))
    for (const id of batch.contexts) state.contexts.get(id)?.[place].set(batch.id, batch);
  const receipts = createReceipts();
  for (const [id, kept] of snapshot.receipts) receipts.kept.set(id, kept);
  return Object.assign(state, { receipts, nextBatch: snapshot.nextBatch, applied: snapshot.applied });
};

const restoreSubject = (state: HostState, stored: StoredSubject): { batch: Batch; place: 'pending' | 'frozen' }[] => {
  const subject: Subject = {
    binding: stored.binding,
    elsewhere: stored.elsewhere,
    read: new Map(stored.read),
    occupants: new Map(stored.occupants),
    ...(stored.message ? { message: stored.message } : {}),
  };
  state.subjects.set(stored.id, subject);
  state.tracked.set(stored.binding, (state.tracked.get(stored.binding) ?? 0) + 1);
  return (['pending', 'frozen'] as const).flatMap((place) => {
    const kept = stored[place];
    if (!kept) return [];
    const batch: Batch = { ...kept, notices: [...kept.notices], contexts: new Set(kept.contexts) };
    subject[place] = batch;
    return [{ batch, place }];
  });
};
