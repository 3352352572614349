import { createHash } from 'node:crypto';
import { LmdbFolder, type Table } from '@mcpl-bridges/lmdb-folder';
import type { Occurrence } from '../occurrence/occurrence.js';
import { type BootClock, bootClock } from './boot-clock.js';
import { MAX_DEAD_LETTERS } from './dead-letters.js';
import { type AttemptOnBoot, decodeEntry, type EncodedEntry, encodeEntry } from './lmdb-entry.js';
import { migrateFolder, SCHEMA_VERSION } from './lmdb-migration.js';
import type { AttemptClock, BurialReason, DeadLetter, RecordWrite, Store, Stored, StoreStep } from './store.js';

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
  private readonly entries: Table<string, number>;
  private readonly dead: Table<DeadLetter, number>;
  private readonly records: Table<KeptRecord, string>;
  private readonly expiries: Table<true, [number, string]>;
  private readonly counters: Table<number, string>;
  private lastSeq: number;
  private nextDead: number;

  /** @throws FolderError when another process uses the folder, or a newer version has written it */
  constructor({ path, clock, now }: LmdbStoreOptions) {
    this.folder = new LmdbFolder(path, SCHEMA_VERSION, migrateFolder);
    this.clock = clock ?? bootClock();
    this.now = now ?? Date.now;
    this.entries = this.folder.table('entries', 'string');
    this.dead = this.folder.table('dead');
    this.records = this.folder.table('records');
    this.expiries = this.folder.table('expiries');
    this.counters = this.folder.table('counters');
    this.lastSeq = this.counters.get('seq') ?? 0;
    this.nextDead = lastKey(this.dead) + 1;
  }

  async load(): Promise<Stored> {
    const entries = [...this.entries.getRange({})].map(({ key: seq, value }) => {
      const { occurrence, wire } = decodeEntry(value);
      const parsed = { seq, occurrence: JSON.parse(occurrence) as Occurrence };
      return wire ? { ...parsed, wire } : parsed;
    });
    return { entries, lastSeq: this.lastSeq };
  }

  async commit(steps: readonly StoreStep[]): Promise<AttemptClock[]> {
    const clocks: AttemptClock[] = [];
    // What becomes of an entry in this commit; `undefined`: it is gone.
    const changed = new Map<number, EncodedEntry | undefined>();
    const entryOf = (seq: number): EncodedEntry | undefined => {
      if (changed.has(seq)) return changed.get(seq);
      const text = this.entries.get(seq);
      return text === undefined ? undefined : decodeEntry(text);
    };
    for (const step of steps) {
      switch (step.kind) {
        case 'append':
          changed.set(step.seq, { occurrence: JSON.stringify(step.occurrence) });
          this.lastSeq = Math.max(this.lastSeq, step.seq);
          break;
        case 'amend':
          if (entryOf(step.seq)) changed.set(step.seq, { occurrence: JSON.stringify(step.occurrence) });
          break;
        case 'attempt': {
          const entry = entryOf(step.seq);
          const attempt = this.attemptOf(entry?.attempt, step);
          if (entry) changed.set(step.seq, { ...entry, wire: entry.wire ?? step.wire, attempt });
          clocks.push(this.clockOf(attempt));
          break;
        }
        case 'forget':
          changed.set(step.seq, undefined);
          break;
        case 'bury':
          this.bury(entryOf(step.seq), step.reason);
          changed.set(step.seq, undefined);
          break;
        case 'record':
          this.put(step);
      }
    }
    for (const [seq, entry] of changed)
      if (entry) void this.entries.put(seq, encodeEntry(entry));
      else void this.entries.remove(seq);
    // A number is never used twice, though all that have been used be gone. Writes of one turn share a transaction, so the
    // last of them stands for all.
    await this.folder.flushed(this.counters.put('seq', this.lastSeq));
    return clocks;
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

  private attemptOf(
    known: AttemptOnBoot | undefined,
    { windowMs, sinceMs = 0 }: Extract<StoreStep, { kind: 'attempt' }>,
  ): AttemptOnBoot {
    if (known) return { ...known, windowMs: Math.min(known.windowMs, windowMs) };
    return { bootId: this.clock.bootId, firstAt: this.clock.now() - sinceMs, windowMs };
  }

  private clockOf({ bootId, firstAt, windowMs }: AttemptOnBoot): AttemptClock {
    const now = this.clock.now();
    return { elapsedMs: bootId === this.clock.bootId && now >= firstAt ? now - firstAt : 'unknown', windowMs };
  }

  private bury(entry: EncodedEntry | undefined, reason: BurialReason): void {
    if (!entry) return;
    const n = this.nextDead++;
    void this.dead.put(n, { occurrence: JSON.parse(entry.occurrence) as Occurrence, reason });
    void this.dead.remove(n - MAX_DEAD_LETTERS);
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
