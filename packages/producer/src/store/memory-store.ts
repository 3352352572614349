import type { Occurrence } from '../occurrence/occurrence.js';
import type { WireForm } from '../occurrence/wire-form.js';
import { systemTime, type Time } from '../time.js';
import { MAX_DEAD_LETTERS } from './dead-letters.js';
import type { AttemptClock, BurialReason, DeadLetter, RecordWrite, Store, StoredEntry } from './store.js';

interface Started {
  readonly at: number;
  windowMs: number;
}

/** Records kept; those written longest ago go first. */
const MAX_RECORDS = 100_000;

/** A store that lasts as long as its process: for tests, and for trying a bridge out. */
export class MemoryStore implements Store {
  private readonly entries = new Map<number, StoredEntry>();
  private readonly started = new Map<number, Started>();
  private readonly records = new Map<string, string>();
  private readonly dead: DeadLetter[] = [];
  private nextSeq = 1;

  constructor(private readonly time: Pick<Time, 'monotonic'> = systemTime) {}

  async load(): Promise<StoredEntry[]> {
    return [...this.entries.values()];
  }

  async append(occurrence: Occurrence, records: readonly RecordWrite[] = []): Promise<StoredEntry> {
    const entry = { seq: this.nextSeq++, occurrence };
    this.entries.set(entry.seq, entry);
    this.put(records);
    return entry;
  }

  async amend(seq: number, occurrence: Occurrence, records: readonly RecordWrite[] = []): Promise<void> {
    if (this.entries.has(seq)) this.entries.set(seq, { seq, occurrence });
    this.put(records);
  }

  async drop(seq: number, records: readonly RecordWrite[] = []): Promise<void> {
    this.entries.delete(seq);
    this.put(records);
  }

  async attempt(seq: number, wire: WireForm, windowMs: number): Promise<AttemptClock> {
    const now = this.time.monotonic();
    const entry = this.entries.get(seq);
    if (entry && !entry.wire) this.entries.set(seq, { ...entry, wire });
    const started = this.started.get(seq) ?? { at: now, windowMs };
    started.windowMs = Math.min(started.windowMs, windowMs);
    this.started.set(seq, started);
    return { elapsedMs: now - started.at, windowMs: started.windowMs };
  }

  async settle(seq: number, records: readonly RecordWrite[] = []): Promise<void> {
    this.entries.delete(seq);
    this.started.delete(seq);
    this.put(records);
  }

  async bury(seq: number, reason: BurialReason): Promise<void> {
    const entry = this.entries.get(seq);
    if (!entry) return;
    await this.settle(seq);
    this.dead.push({ occurrence: entry.occurrence, reason });
    if (this.dead.length > MAX_DEAD_LETTERS) this.dead.shift();
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    return this.dead.slice(-limit);
  }

  async read(key: string): Promise<unknown> {
    const text = this.records.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async write(records: readonly RecordWrite[]): Promise<void> {
    this.put(records);
  }

  async close(): Promise<void> {}

  private put(records: readonly RecordWrite[]): void {
    for (const { key, value } of records) {
      this.records.delete(key);
      if (value !== undefined) this.records.set(key, JSON.stringify(value));
    }
    for (const key of this.records.keys()) {
      if (this.records.size <= MAX_RECORDS) return;
      this.records.delete(key);
    }
  }
}
