import { createHash } from 'node:crypto';
import { LmdbFolder, type Table } from '@mcpl-bridges/lmdb-folder';
import { type BootClock, bootClock } from './boot-clock.js';
import { MAX_DEAD_LETTERS } from './dead-letters.js';
import { migrateFolder, SCHEMA_VERSION } from './lmdb-migration.js';
import { decodeRecord, encodeRecord } from './lmdb-record.js';
import { EntryLog } from './log/entry-log.js';
import type { AttemptClock, DeadLetter, RecordWrite, Store, Stored, StoreStep } from './store.js';

/** Longer record keys are kept under their digest. LMDB takes 1,978 bytes. */
const MAX_KEY_LENGTH = 400;

/** Forgotten records that are removed with each one that is written. */
const SWEPT_PER_WRITE = 2;

interface KeptRecord {
  readonly value: unknown;
  /** ms since the Unix epoch; absent: kept for good. */
  readonly until?: number;
}

export interface LmdbStoreOptions {
  /** A folder of its own; made when it is not there. */
  readonly path: string;
  readonly clock?: BootClock;
  /** ms since the Unix epoch; decides only when records may be forgotten. */
  readonly now?: () => number;
}

/**
 * A store in a folder, for one process at a time. Retry deadlines are kept by the machine's monotonic clock under the name
 * of its boot: after a reboot nobody knows how much time has passed, and what was attempted before is not sent again.
 */
export class LmdbStore implements Store {
  private readonly folder: LmdbFolder;
  private readonly clock: BootClock;
  private readonly now: () => number;
  private readonly log: EntryLog;
  private readonly logged: Table<string, number>;
  private readonly dead: Table<DeadLetter, number>;
  private readonly records: Table<KeptRecord, string>;
  private readonly expiries: Table<true, [number, string]>;
  private nextDead: number;

  /** @throws FolderError when another process uses the folder, or a newer version has written it */
  constructor({ path, clock, now }: LmdbStoreOptions) {
    this.folder = new LmdbFolder(path, SCHEMA_VERSION, migrateFolder);
    this.clock = clock ?? bootClock();
    this.now = now ?? Date.now;
    this.logged = this.folder.table('log', 'string');
    this.dead = this.folder.table('dead');
    this.records = this.folder.table('records');
    this.expiries = this.folder.table('expiries');
    this.log = new EntryLog([...this.logged.getRange({})].map(({ key, value }) => decodeRecord(key, value)));
    this.nextDead = lastKey(this.dead) + 1;
  }

  async load(): Promise<Stored> {
    return this.log.read();
  }

  async commit(steps: readonly StoreStep[], isRestated?: boolean): Promise<AttemptClock[]> {
    const commit = this.log.plan(steps, isRestated);
    const kept = { epoch: this.clock.bootId, at: this.clock.now() };
    for (const [i, letter] of commit.buried.entries()) {
      void this.dead.put(this.nextDead + i, letter);
      void this.dead.remove(this.nextDead + i - MAX_DEAD_LETTERS);
    }
    for (const record of commit.records) this.put(record);
    for (const number of commit.outdated) void this.logged.remove(number);
    // Writes of one turn share a transaction, so the last of them stands for all.
    await this.folder.flushed(this.logged.put(commit.number, encodeRecord(commit.text, kept)));
    this.nextDead += commit.buried.length;
    return this.log.apply(commit, kept);
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    return [...this.dead.getRange({ reverse: true, limit })].map(({ value }) => value).reverse();
  }

  async read(key: string): Promise<unknown> {
    const kept = this.records.get(recordKey(key));
    return kept && (kept.until === undefined || kept.until > this.now()) ? kept.value : undefined;
  }

  close(): Promise<void> {
    return this.folder.close();
  }

  private put({ key, value, keepMs }: RecordWrite): void {
    const name = recordKey(key);
    if (value === undefined) {
      void this.records.remove(name);
      return;
    }
    if (keepMs === undefined) {
      void this.records.put(name, { value });
      return;
    }
    const until = this.now() + keepMs;
    void this.records.put(name, { value, until });
    void this.expiries.put([until, name], true);
    this.sweep();
  }

  private sweep(): void {
    for (const entry of this.expiries.getKeys({ end: [this.now(), ''], limit: SWEPT_PER_WRITE })) {
      const name = entry[1] as string;
      void this.expiries.remove(entry);
      // It may have been written again since.
      const { until } = this.records.get(name) ?? {};
      if (until !== undefined && until <= this.now()) void this.records.remove(name);
    }
  }
}

const lastKey = (table: Table<unknown, number>): number => [...table.getKeys({ reverse: true, limit: 1 })][0] ?? 0;

const recordKey = (key: string): string =>
  key.length <= MAX_KEY_LENGTH ? key : `#${createHash('sha256').update(key).digest('base64url')}`;
