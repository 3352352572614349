import { LmdbFolder, type Table } from '@mcpl-bridges/lmdb-folder';
import type {
  Checkpoint,
  StoredContext,
  StoredCounters,
  StoredEntry,
  StoredReceipt,
  StoredSubject,
} from '../core/checkpoint.js';
import type { JournalRecord } from '../core/reducer.js';
import type { StoredState } from '../core/restore.js';
import type { Journal, NumberedRecord, Recovered } from './journal.js';

/** The shape of what is kept; another number is another shape. */
const SCHEMA_VERSION = 1;

export interface LmdbJournalOptions {
  /** A folder; made when it is not there. */
  readonly path: string;
  /** Records between two checkpoints. Default 5,000. */
  readonly checkpointEvery?: number;
}

/**
 * A journal in an LMDB folder. Appends of one moment share a commit and a flush; an append counts as durable when it is
 * on disk. Checkpoints write what has changed into tables and drop the records before them, so that neither disk nor
 * recovery grows with history, and no checkpoint with the state.
 */
export class LmdbJournal implements Journal {
  private readonly folder: LmdbFolder;
  private readonly records: Table<JournalRecord, number>;
  private readonly counters: Table<StoredCounters, string>;
  private readonly subjects: Table<StoredSubject, number>;
  private readonly receipts: Table<StoredReceipt, number>;
  private readonly contexts: Table<StoredContext, number>;
  private readonly read: Table<StoredEntry, [context: number, at: number]>;
  private readonly unread: Table<StoredEntry, [context: number, at: number]>;
  private readonly checkpointEvery: number;
  /** Numbers of the oldest record that is kept and of the newest. */
  private first: number;
  private last: number;

  /** @throws FolderError when another process uses the folder, or a newer version has written it */
  constructor({ path, checkpointEvery = 5000 }: LmdbJournalOptions) {
    this.checkpointEvery = checkpointEvery;
    this.folder = new LmdbFolder(path, SCHEMA_VERSION);
    this.records = this.folder.table('records');
    this.counters = this.folder.table('counters');
    this.subjects = this.folder.table('subjects');
    this.receipts = this.folder.table('receipts');
    this.contexts = this.folder.table('contexts');
    this.read = this.folder.table('read');
    this.unread = this.folder.table('unread');
    const [oldest] = this.records.getKeys({ limit: 1 });
    const [newest] = this.records.getKeys({ reverse: true, limit: 1 });
    this.first = oldest ?? 1;
    this.last = newest ?? 0;
  }

  recover(): Recovered {
    const counters = this.counters.get('now');
    const records = this.records.getRange({ start: (counters?.applied ?? 0) + 1 });
    return {
      state: counters && this.state(counters),
      records: records.map(({ key, value }) => ({ seq: key, record: value })),
    };
  }

  private state(counters: StoredCounters): StoredState {
    const all = <V>(table: {
      getRange(options: object): { map<R>(pick: (one: { value: V }) => R): Iterable<R> };
    }): Iterable<V> => table.getRange({}).map(({ value }) => value);
    return {
      counters,
      subjects: all(this.subjects),
      receipts: all(this.receipts),
      contexts: all(this.contexts),
      read: all(this.read),
      unread: all(this.unread),
    };
  }

  append({ seq, record }: NumberedRecord): Promise<void> {
    this.last = seq;
    return this.folder.flushed(this.records.put(seq, record));
  }

  get wantsCheckpoint(): boolean {
    return this.last - this.first + 1 >= this.checkpointEvery;
  }

  keep({ counters, subjects, receipts, contexts, read, unread }: Checkpoint): void {
    // Writes of one turn of the event loop share a transaction, and are encoded as they are made.
    for (const n of subjects.gone) void this.subjects.remove(n);
    for (const subject of subjects.put) void this.subjects.put(subject.n, subject);
    for (const n of receipts.gone) void this.receipts.remove(n);
    for (const receipt of receipts.put) void this.receipts.put(receipt.n, receipt);
    for (const context of contexts) void this.contexts.put(context.n, context);
    for (const [table, { gone, put }] of [[this.read, read] as const, [this.unread, unread] as const]) {
      for (const { context, at } of gone) void table.remove([context, at]);
      for (const entry of put) void table.put([entry.context, entry.at], entry);
    }
    void this.counters.put('now', counters);
    for (let seq = this.first; seq <= counters.applied; seq++) void this.records.remove(seq);
    this.first = counters.applied + 1;
  }

  close(): Promise<void> {
    return this.folder.close();
  }
}
