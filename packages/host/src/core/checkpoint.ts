import type { Batch } from './batch.js';
import type { Context, Entry } from './context.js';
import type { MessageRef } from './occurrence.js';
import type { Kept } from './receipts.js';
import type { HostState, Settings } from './state.js';
import type { Subject } from './subject.js';

interface StoredBatch extends Omit<Batch, 'contexts'> {
  readonly contexts: readonly string[];
}

/** A subject as plain JSON. */
export interface StoredSubject {
  readonly n: number;
  readonly id: string;
  readonly binding: string;
  readonly elsewhere: Subject['elsewhere'];
  readonly read: readonly (readonly [context: string, eventId: string])[];
  readonly occupants: readonly (readonly [context: string, slot: number])[];
  readonly pending?: StoredBatch;
  readonly frozen?: StoredBatch;
  readonly message?: MessageRef;
  readonly touchedAt: number;
}

export interface StoredReceipt extends Kept {
  readonly id: string;
}

export interface StoredContext {
  readonly n: number;
  readonly id: string;
  readonly nextSlot: number;
  readonly readFrom: number;
}

/** An entry at its place in a context: its ordinal where it was read, its slot where it is unread. */
export interface StoredEntry {
  readonly context: number;
  readonly at: number;
  readonly entry: Entry;
}

export type Place = Omit<StoredEntry, 'entry'>;

/** What else a host must not forget. */
export interface StoredCounters {
  /** The last record that the tables hold. */
  readonly applied: number;
  readonly nextBatch: number;
  readonly nextSubject: number;
  readonly settings: Settings;
}

interface TableChanges<T, K> {
  readonly gone: readonly K[];
  readonly put: readonly T[];
}

/** What has changed since the last checkpoint; `gone` goes first. It is as large as the changes, not as the state. */
export interface Checkpoint {
  readonly counters: StoredCounters;
  readonly subjects: TableChanges<StoredSubject, number>;
  readonly receipts: TableChanges<StoredReceipt, number>;
  readonly contexts: readonly StoredContext[];
  readonly read: TableChanges<StoredEntry, Place>;
  readonly unread: TableChanges<StoredEntry, Place>;
}

interface Saved {
  readonly readFrom: number;
  /** A summary takes its place. */
  readonly first: Entry | undefined;
  /** The ordinal after the last that is stored. */
  readonly readTo: number;
}

/** Takes checkpoints of one state, which it watches from its beginning on. */
export class Checkpoints {
  private readonly saved = new Map<string, Saved>();

  /** @param state as it is stored now */
  constructor(private readonly state: HostState) {
    state.subjects.watch();
    state.receipts.kept.watch();
    for (const context of state.contexts.values()) this.save(context);
  }

  take(): Checkpoint {
    const { state } = this;
    const { applied, nextBatch, nextSubject, settings } = state;
    const subjects = state.subjects.takeChanges();
    const receipts = state.receipts.kept.takeChanges();
    const contexts = [...state.contexts.values()];
    const changes = contexts.map((context) => ({ read: this.readChanges(context), unread: unreadChanges(context) }));
    for (const context of contexts) this.save(context);
    return {
      counters: { applied, nextBatch, nextSubject, settings },
      subjects: {
        gone: subjects.gone.map(([, { n }]) => n),
        put: subjects.put.map(([id, subject]) => storeSubject(id, subject)),
      },
      receipts: {
        gone: receipts.gone.map(([, { n }]) => n),
        put: receipts.put.map(([id, kept]) => ({ ...kept, id })),
      },
      contexts: contexts.map(({ n, id, nextSlot, readFrom }) => ({ n, id, nextSlot, readFrom })),
      read: merge(changes.map(({ read }) => read)),
      unread: merge(changes.map(({ unread }) => unread)),
    };
  }

  private save(context: Context): void {
    context.unread.watch();
    const { id, read, readFrom } = context;
    this.saved.set(id, { readFrom, first: read[0], readTo: readFrom + read.length });
  }

  /** What was read only grows at its end, or has its beginning replaced by one summary. */
  private readChanges({ id, n, read, readFrom }: Context): TableChanges<StoredEntry, Place> {
    const saved = this.saved.get(id) ?? { readFrom, first: undefined, readTo: readFrom };
    const gone: Place[] = [];
    for (let at = saved.readFrom; at < Math.min(readFrom, saved.readTo); at++) gone.push({ context: n, at });
    const put: StoredEntry[] = [];
    const store = (at: number): void => {
      const entry = read[at - readFrom];
      if (entry) put.push({ context: n, at, entry });
    };
    const from = Math.max(saved.readTo, readFrom);
    if (from > readFrom && read[0] !== saved.first) store(readFrom);
    for (let at = from; at < readFrom + read.length; at++) store(at);
    return { gone, put };
  }
}

/** A context that was not watched yet is stored whole: it is new. */
const unreadChanges = ({ n, unread }: Context): TableChanges<StoredEntry, Place> => {
  const changes = unread.isWatched ? unread.takeChanges() : { put: [...unread], gone: [] };
  return {
    gone: changes.gone.map(([at]) => ({ context: n, at })),
    put: changes.put.map(([at, entry]) => ({ context: n, at, entry })),
  };
};

const merge = <T, K>(all: readonly TableChanges<T, K>[]): TableChanges<T, K> => ({
  gone: all.flatMap(({ gone }) => gone),
  put: all.flatMap(({ put }) => put),
});

const storeBatch = (batch: Batch): StoredBatch => ({ ...batch, contexts: [...batch.contexts] });

const storeSubject = (id: string, subject: Subject): StoredSubject => ({
  n: subject.n,
  id,
  binding: subject.binding,
  elsewhere: subject.elsewhere,
  read: [...subject.read],
  occupants: [...subject.occupants],
  ...(subject.pending ? { pending: storeBatch(subject.pending) } : {}),
  ...(subject.frozen ? { frozen: storeBatch(subject.frozen) } : {}),
  ...(subject.message ? { message: subject.message } : {}),
  touchedAt: subject.touchedAt,
});
