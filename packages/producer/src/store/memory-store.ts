import { TransientMap } from '@mcpl-bridges/transient-map';
import type { Occurrence } from '../occurrence/occurrence.js';
import type { WireForm } from '../occurrence/wire-form.js';
import { systemTime, type Time } from '../time.js';
import { MAX_DEAD_LETTERS } from './dead-letters.js';
import type { AttemptClock, BurialReason, DeadLetter, RecordWrite, Store, Stored, StoreStep } from './store.js';

interface Kept {
  readonly seq: number;
  occurrence: Occurrence;
  attempt: { readonly wire: WireForm; readonly at: number; windowMs: number } | undefined;
}

type Attempt = Extract<StoreStep, { kind: 'attempt' }>;

/** Records kept; those written longest ago go first. */
const MAX_RECORDS = 100_000;

/** A store that lasts as long as its process: for tests, and for trying a bridge out. */
export class MemoryStore implements Store {
  private readonly entries = new TransientMap<number, Kept>();
  private readonly records = new Map<string, string>();
  private readonly dead: DeadLetter[] = [];
  private lastSeq = 0;

  constructor(private readonly time: Pick<Time, 'monotonic'> = systemTime) {}

  async load(): Promise<Stored> {
    const entries = this.entries
      .values()
      .map(({ seq, occurrence, attempt }) => (attempt ? { seq, occurrence, wire: attempt.wire } : { seq, occurrence }));
    return { entries, lastSeq: this.lastSeq };
  }

  async commit(steps: readonly StoreStep[]): Promise<AttemptClock[]> {
    const clocks: AttemptClock[] = [];
    for (const step of steps) {
      switch (step.kind) {
        case 'append':
          this.entries.set(step.seq, { seq: step.seq, occurrence: step.occurrence, attempt: undefined });
          this.lastSeq = Math.max(this.lastSeq, step.seq);
          break;
        case 'amend': {
          const kept = this.entries.get(step.seq);
          if (kept) kept.occurrence = step.occurrence;
          break;
        }
        case 'attempt':
          clocks.push(this.attempt(step));
          break;
        case 'forget':
          this.entries.delete(step.seq);
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
    const kept = this.entries.get(seq);
    const attempt = kept?.attempt ?? { wire, at: now - sinceMs, windowMs };
    attempt.windowMs = Math.min(attempt.windowMs, windowMs);
    if (kept) kept.attempt = attempt;
    return { elapsedMs: now - attempt.at, windowMs: attempt.windowMs };
  }

  private bury(seq: number, reason: BurialReason): void {
    const entry = this.entries.get(seq);
    if (!entry) return;
    this.entries.delete(seq);
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
