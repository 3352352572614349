import type { AttemptClock, DeadLetter, Store, Stored, StoreStep } from '../store.js';
import { type Commit, EntryLog, type FoundRecord } from './entry-log.js';
import type { Moment } from './log-lines.js';

/** What a store on disk has; outlives whoever writes it. */
export class Paper {
  records: FoundRecord[] = [];
  readonly dead: DeadLetter[] = [];
  readonly values = new Map<string, string>();

  /** Characters of the log. */
  get length(): number {
    return this.records.reduce((sum, { text }) => sum + text.length, 0);
  }

  write({ number, text, outdated, isRestated, buried, records }: Commit, kept: Moment): void {
    const left = isRestated ? [] : this.records.filter((record) => !outdated.includes(record.number));
    this.records = [...left, { number, text, kept }];
    this.dead.push(...buried);
    for (const { key, value } of records)
      if (value === undefined) this.values.delete(key);
      else this.values.set(key, JSON.stringify(value));
  }
}

/** A store as those on disk are, whose disk is paper. */
export class PaperStore implements Store {
  private readonly log: EntryLog;

  constructor(
    private readonly paper: Paper,
    private readonly now: () => Moment,
  ) {
    this.log = new EntryLog(paper.records);
  }

  async load(): Promise<Stored> {
    return this.log.read();
  }

  async commit(steps: readonly StoreStep[], isRestated?: boolean): Promise<AttemptClock[]> {
    const commit = this.log.plan(steps, isRestated);
    const kept = this.now();
    this.paper.write(commit, kept);
    return this.log.apply(commit, kept);
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    return this.paper.dead.slice(-limit);
  }

  async read(key: string): Promise<unknown> {
    const text = this.paper.values.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async close(): Promise<void> {}
}
