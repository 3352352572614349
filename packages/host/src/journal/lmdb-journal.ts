import { type Database, open, type RootDatabase } from 'lmdb';
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
  /** A folder; made when it is not there. One process at a time. */
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
  private readonly root: RootDatabase;
  private readonly records: Database<JournalRecord, number>;
  private readonly meta: Database<unknown, string>;
  private readonly subjects: Database<StoredSubject, number>;
  private readonly receipts: Database<StoredReceipt, number>;
  private readonly contexts: Database<StoredContext, number>;
  private readonly read: Database<StoredEntry, [context: number, at: number]>;
  private readonly unread: Database<StoredEntry, [context: number, at: number]>;
  private readonly checkpointEvery: number;
  /** Numbers of the oldest record that is kept and of the newest. */
  private first: number;
  private last: number;

  /** @throws Error when the folder was written by a newer version */
  constructor({ path, checkpointEvery = 5000 }: LmdbJournalOptions) {
    this.checkpointEvery = checkpointEvery;
    this.root = open({ path, encoding: 'json', maxDbs: 8 });
    const table = <V, K extends number | string | number[]>(name: string): Database<V, K> =>
      this.root.openDB<V, K>({ name, encoding: 'json' });
    this.records = table('records');
    this.meta = table('meta');
    this.subjects = table('subjects');
    this.receipts = table('receipts');
    this.contexts = table('contexts');
    this.read = table('read');
    this.unread = table('unread');
    const schema = this.meta.get('schema') as number | undefined;
    if (schema !== undefined && schema > SCHEMA_VERSION)
      throw new Error(`${path} was written by a newer version (schema ${schema}); update, or use another folder`);
    void this.meta.put('schema', SCHEMA_VERSION);
    const [oldest] = this.records.getKeys({ limit: 1 });
    const [newest] = this.records.getKeys({ reverse: true, limit: 1 });
    this.first = oldest ?? 1;
    this.last = newest ?? 0;
  }

  recover(): Recovered {
    const counters = this.meta.get('counters') as StoredCounters | undefined;
    const records = this.records.getRange({ start: (counters?.applied ?? 0) + 1 });
    return {
      state: counters && this.state(counters),
      records: records.map(({ key, value }) => ({ seq: key, record: value })),
    };
  }

  private state(counters: StoredCounters): StoredState {
    const all = <V>(table: Database<V, number> | Database<V, [number, number]>): Iterable<V> =>
      table.getRange({}).map(({ value }: { value: V }) => value);
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
    const written = this.records.put(seq, record);
    return written.then(() => this.root.flushed).then(() => undefined);
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
    void this.meta.put('counters', counters);
    for (let seq = this.first; seq <= counters.applied; seq++) void this.records.remove(seq);
    this.first = counters.applied + 1;
  }

  async close(): Promise<void> {
    await this.root.flushed;
    await this.root.close();
  }
}
