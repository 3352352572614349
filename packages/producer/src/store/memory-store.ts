import { systemTime, type Time } from '../time.js';
import { MAX_DEAD_LETTERS } from './dead-letters.js';
import type {
  AttemptClock,
  BurialReason,
  DeadLetter,
  RecordWrite,
  Store,
  Stored,
  StoredEntry,
  StoreStep,
} from './store.js';

interface Started {
  readonly at: number;
  windowMs: number;
}

type Attempt = Extract<StoreStep, { kind: 'attempt' }>;

/** Records kept; those written longest ago go first. */
const MAX_RECORDS = 100_000;

/** A store that lasts as long as its process: for tests, and for trying a bridge out. */
export class MemoryStore implements Store {
  private readonly entries = new Map<number, StoredEntry>();
  private readonly started = new Map<number, Started>();
  private readonly records = new Map<string, string>();
  private readonly dead: DeadLetter[] = [];
  private lastSeq = 0;

  constructor(private readonly time: Pick<Time, 'monotonic'> = systemTime) {}

  async load(): Promise<Stored> {
    return { entries: [...this.entries.values()], lastSeq: this.lastSeq };
  }

  async commit(steps: readonly StoreStep[]): Promise<AttemptClock[]> {
    const clocks: AttemptClock[] = [];
    for (const step of steps) {
      switch (step.kind) {
        case 'append':
          this.entries.set(step.seq, { seq: step.seq, occurrence: step.occurrence });
          this.lastSeq = Math.max(this.lastSeq, step.seq);
          break;
        case 'amend':
          if (this.entries.has(step.seq)) this.entries.set(step.seq, { seq: step.seq, occurrence: step.occurrence });
          break;
        case 'attempt':
          clocks.push(this.attempt(step));
          break;
        case 'forget':
          this.forget(step.seq);
          break;
        case 'bury':
          this.bury(step.seq, step.reason);
          break;
        case 'record':
          this.put(step);
      }
    }
    return clocks;
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    return this.dead.slice(-limit);
  }

  async read(key: string): Promise<unknown> {
    const text = this.records.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async close(): Promise<void> {}

  private attempt({ seq, wire, windowMs, sinceMs = 0 }: Attempt): AttemptClock {
    const now = this.time.monotonic();
    const entry = this.entries.get(seq);
    if (entry && !entry.wire) this.entries.set(seq, { ...entry, wire });
    const started = this.started.get(seq) ?? { at: now - sinceMs, windowMs };
    started.windowMs = Math.min(started.windowMs, windowMs);
    if (entry) this.started.set(seq, started);
    return { elapsedMs: now - started.at, windowMs: started.windowMs };
  }

  private forget(seq: number): void {
    this.entries.delete(seq);
    this.started.delete(seq);
  }

  private bury(seq: number, reason: BurialReason): void {
    const entry = this.entries.get(seq);
    if (!entry) return;
    this.forget(seq);
    this.dead.push({ occurrence: entry.occurrence, reason });
    if (this.dead.length > MAX_DEAD_LETTERS) this.dead.shift();
  }

  private put({ key, value }: RecordWrite): void {
    this.records.delete(key);
    if (value === undefined) return;
    this.records.set(key, JSON.stringify(value));
    if (this.records.size > MAX_RECORDS) this.records.delete(this.records.keys().next().value as string);
  }
}
