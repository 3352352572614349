import { type Database, open, type RootDatabase } from 'lmdb';
import type { JournalRecord } from '../core/reducer.js';
import type { Snapshot } from '../core/snapshot.js';
import type { Journal, NumberedRecord, Recovered } from './journal.js';

/** The shape of what is kept; another number is another shape. */
const SCHEMA_VERSION = 1;

export interface LmdbJournalOptions {
  /** A folder; made when it is not there. One process at a time. */
  readonly path: string;
  /** Records between two snapshots, at least; a state that is larger than that is written as rarely as it is large. Default 10,000. */
  readonly snapshotEvery?: number;
}

/**
 * A journal in an LMDB folder. Appends of one moment share a commit and a flush; an append counts as durable when it is
 * on disk. Snapshots replace the records before them, so that neither disk nor recovery grows with history.
 */
export class LmdbJournal implements Journal {
  private readonly root: RootDatabase;
  private readonly records: Database<JournalRecord, number>;
  private readonly meta: Database<unknown, string>;
  private readonly snapshotEvery: number;
  /** Numbers of the oldest record that is kept and of the newest. */
  private first: number;
  private last: number;
  /** Records until the next snapshot: as many as the last one held things, so that its cost is shared by as many. */
  private patience: number;

  /** @throws Error when the folder was written by a newer version */
  constructor(options: LmdbJournalOptions) {
    this.snapshotEvery = options.snapshotEvery ?? 10_000;
    this.patience = this.snapshotEvery;
    this.root = open({ path: options.path, encoding: 'json' });
    this.records = this.root.openDB<JournalRecord, number>({ name: 'records', encoding: 'json' });
    this.meta = this.root.openDB<unknown, string>({ name: 'meta', encoding: 'json' });
    const schema = this.meta.get('schema') as number | undefined;
    if (schema !== undefined && schema > SCHEMA_VERSION)
      throw new Error(
        `${options.path} was written by a newer version (schema ${schema}); update, or use another folder`,
      );
    void this.meta.put('schema', SCHEMA_VERSION);
    const [oldest] = this.records.getKeys({ limit: 1 });
    const [newest] = this.records.getKeys({ reverse: true, limit: 1 });
    this.first = oldest ?? 1;
    this.last = newest ?? 0;
  }

  recover(): Recovered {
    const snapshot = this.meta.get('snapshot') as Snapshot | undefined;
    const records = this.records.getRange({ start: (snapshot?.applied ?? 0) + 1 });
    return { snapshot, records: records.map(({ key, value }) => ({ seq: key, record: value })) };
  }

  append({ seq, record }: NumberedRecord): Promise<void> {
    this.last = seq;
    const written = this.records.put(seq, record);
    return written.then(() => this.root.flushed).then(() => undefined);
  }

  get wantsSnapshot(): boolean {
    return this.last - this.first + 1 >= this.patience;
  }

  keep(snapshot: Snapshot): void {
    const from = this.first;
    this.first = snapshot.applied + 1;
    this.patience = Math.max(this.snapshotEvery, sizeOf(snapshot));
    // Writes of one turn of the event loop share a transaction, and are encoded as they are made.
    void this.meta.put('snapshot', snapshot);
    for (let seq = from; seq <= snapshot.applied; seq++) void this.records.remove(seq);
  }

  async close(): Promise<void> {
    await this.root.flushed;
    await this.root.close();
  }
}

/** How many things a snapshot holds. */
const sizeOf = ({ subjects, receipts, contexts }: Snapshot): number =>
  contexts.reduce((sum, { read, unread }) => sum + read.length + unread.length, subjects.length + receipts.length);
