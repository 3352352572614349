import { createHash } from 'node:crypto';
import { LmdbFolder, type Table } from '@mcpl-bridges/lmdb-folder';
import type { Occurrence } from '../occurrence/occurrence.js';
import type { WireForm } from '../occurrence/wire-form.js';
import { type BootClock, bootClock } from './boot-clock.js';
import { MAX_DEAD_LETTERS } from './dead-letters.js';
import type { AttemptClock, BurialReason, DeadLetter, RecordWrite, Store, StoredEntry } from './store.js';

/** The shape of what is kept; another number is another shape. */
const SCHEMA_VERSION = 1;

/** Longer record keys are kept under their digest. LMDB takes 1,978 bytes. */
const MAX_KEY_LENGTH = 400;

interface Attempt {
  readonly bootId: string;
  /** When the first attempt was made, by the boot's clock, ms. */
  readonly firstAt: number;
  readonly windowMs: number;
}

export interface LmdbStoreOptions {
  /** A folder of its own; made when it is not there. */
  readonly path: string;
  readonly clock?: BootClock;
}

/**
 * A store in a folder, for one process at a time. Retry deadlines are kept by the machine's monotonic clock under the name
 * of its boot: after a reboot nobody knows how much time has passed, and what was attempted before is not sent again.
 */
export class LmdbStore implements Store {
  private readonly folder: LmdbFolder;
  private readonly clock: BootClock;
  private readonly entries: Table<Occurrence, number>;
  private readonly wires: Table<WireForm, number>;
  private readonly attempts: Table<Attempt, number>;
  private readonly dead: Table<DeadLetter, number>;
  private readonly records: Table<unknown, string>;
  private readonly counters: Table<number, string>;
  private nextSeq: number;
  private nextDead: number;

  /** @throws FolderError when another process uses the folder, or a newer version has written it */
  constructor({ path, clock }: LmdbStoreOptions) {
    this.folder = new LmdbFolder(path, SCHEMA_VERSION);
    this.clock = clock ?? bootClock();
    this.entries = this.folder.table('entries');
    this.wires = this.folder.table('wires');
    this.attempts = this.folder.table('attempts');
    this.dead = this.folder.table('dead');
    this.records = this.folder.table('records');
    this.counters = this.folder.table('counters');
    this.nextSeq = (this.counters.get('seq') ?? 0) + 1;
    this.nextDead = lastKey(this.dead) + 1;
  }

  async load(): Promise<StoredEntry[]> {
    return [...this.entries.getRange({})].map(({ key: seq, value: occurrence }) => {
      const wire = this.wires.get(seq);
      return wire === undefined ? { seq, occurrence } : { seq, occurrence, wire };
    });
  }

  async append(occurrence: Occurrence, records: readonly RecordWrite[] = []): Promise<StoredEntry> {
    const seq = this.nextSeq++;
    // A number is never used twice, though all that have been used be gone.
    void this.counters.put('seq', seq);
    this.put(records);
    await this.folder.flushed(this.entries.put(seq, occurrence));
    return { seq, occurrence };
  }

  async amend(seq: number, occurrence: Occurrence, records: readonly RecordWrite[] = []): Promise<void> {
    this.put(records);
    if (this.entries.doesExist(seq)) void this.entries.put(seq, occurrence);
    await this.sync();
  }

  drop(seq: number, records: readonly RecordWrite[] = []): Promise<void> {
    return this.forget(seq, records);
  }

  async attempt(seq: number, wire: WireForm, windowMs: number): Promise<AttemptClock> {
    const now = this.clock.now();
    const known = this.attempts.get(seq);
    if (!this.wires.doesExist(seq)) void this.wires.put(seq, wire);
    const { bootId } = this.clock;
    const attempt = known
      ? { ...known, windowMs: Math.min(known.windowMs, windowMs) }
      : { bootId, firstAt: now, windowMs };
    await this.folder.flushed(this.attempts.put(seq, attempt));
    const elapsedMs = attempt.bootId === bootId && now >= attempt.firstAt ? now - attempt.firstAt : 'unknown';
    return { elapsedMs, windowMs: attempt.windowMs };
  }

  settle(seq: number, records: readonly RecordWrite[] = []): Promise<void> {
    return this.forget(seq, records);
  }

  async bury(seq: number, reason: BurialReason): Promise<void> {
    const occurrence = this.entries.get(seq);
    if (!occurrence) return;
    const n = this.nextDead++;
    void this.dead.put(n, { occurrence, reason });
    void this.dead.remove(n - MAX_DEAD_LETTERS);
    await this.forget(seq, []);
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    return [...this.dead.getRange({ reverse: true, limit })].map(({ value }) => value).reverse();
  }

  async read(key: string): Promise<unknown> {
    return this.records.get(recordKey(key));
  }

  async write(records: readonly RecordWrite[]): Promise<void> {
    this.put(records);
    await this.sync();
  }

  close(): Promise<void> {
    return this.folder.close();
  }

  private put(records: readonly RecordWrite[]): void {
    for (const { key, value } of records)
      if (value === undefined) void this.records.remove(recordKey(key));
      else void this.records.put(recordKey(key), value);
  }

  private async forget(seq: number, records: readonly RecordWrite[]): Promise<void> {
    this.put(records);
    void this.wires.remove(seq);
    void this.attempts.remove(seq);
    await this.folder.flushed(this.entries.remove(seq));
  }

  /** Writes of one turn share a transaction, so the last of them stands for all. */
  private sync(): Promise<void> {
    return this.folder.flushed(this.counters.put('seq', this.nextSeq - 1));
  }
}

const lastKey = (table: Table<unknown, number>): number => [...table.getKeys({ reverse: true, limit: 1 })][0] ?? 0;

const recordKey = (key: string): string =>
  key.length <= MAX_KEY_LENGTH ? key : `#${createHash('sha256').update(key).digest('base64url')}`;
