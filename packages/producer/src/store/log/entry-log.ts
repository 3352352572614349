import { TransientMap } from '@mcpl-bridges/transient-map';
import type { AttemptClock, DeadLetter, RecordWrite, Stored, StoredEntry, StoreStep } from '../store.js';
import {
  decodeEntry,
  encodeEntry,
  encodeGone,
  encodeText,
  type Logged,
  type Moment,
  readText,
  UNKNOWN_MOMENT,
} from './log-lines.js';

/** What a store writes in one step. Nothing of it counts before it is `applied`; what is planned again is the same. */
export interface Commit {
  /** The record's number, larger than that of any before. */
  readonly number: number;
  /** The record. */
  readonly text: string;
  /** Records that nobody needs any more once this one is there, oldest first. */
  readonly outdated: readonly number[];
  /** The record is all there is: whatever else is in the log is not true any more. */
  readonly isRestated: boolean;
  readonly buried: readonly DeadLetter[];
  readonly records: readonly RecordWrite[];
  /** How many occurrences there are then. */
  readonly waiting: number;
  readonly changes: ReadonlyMap<number, Change>;
  /** Of each line, characters. */
  readonly lengths: ReadonlyMap<number, number>;
  /** The attempts, and what is said of those whose occurrence is not there. */
  readonly attempted: readonly { readonly seq: number; readonly otherwise: AttemptClock }[];
  readonly lastSeq: number;
}

/** A record that an earlier process has written. */
export interface FoundRecord {
  readonly number: number;
  readonly text: string;
  /** When it was kept. */
  readonly kept: Moment;
}

/** What becomes of an occurrence; `undefined`: it is gone. */
type Change = Logged | undefined;

interface LogRecord {
  readonly number: number;
  /** Whose lines it has. */
  readonly seqs: readonly number[];
  /** How many of these lines are the last word. */
  valid: number;
  readonly length: number;
}

interface Kept extends Logged {
  readonly record: LogRecord;
  /** Of its line, characters. */
  readonly length: number;
}

/** The log may have this many characters of lines that are out of date, beside twice as many as are valid. */
const SLACK = 1_048_576;

/** Lines of an old record are moved only as long as no more than this has been moved in a commit, characters. */
const MOVED_AT_ONCE = 65_536;

/**
 * What a store keeps of the outbox, as a log: every commit is one record, whose lines say which occurrences are new,
 * other, or gone. A record goes when no line of it, nor of any before it, is the last word on its occurrence. So that one
 * that waits for long does not hold up all behind it, its line is written again at the end when the log has grown to
 * a multiple of what it says. What is in the log is in memory, too, as the same objects that the outbox has.
 *
 * Pure: whoever writes `plan`s down, and confirms them by `apply`, decides how.
 */
export class EntryLog {
  private readonly entries = new TransientMap<number, Kept>();
  private records: LogRecord[] = [];
  private length = 0;
  private validLength = 0;
  private lastSeq = 0;
  private lastNumber = 0;

  /** @param found in the order of their numbers */
  constructor(found: readonly FoundRecord[]) {
    const last = new Map<number, { text: string; at: number }>();
    for (const [at, { text }] of found.entries()) {
      const { lastSeq, lines } = readText(text);
      this.lastSeq = lastSeq;
      for (const line of lines)
        if (line.kind === 'entry') last.set(line.seq, { text: line.text, at });
        else for (const seq of line.seqs) last.delete(seq);
    }
    const seqs = found.map((): number[] => []);
    for (const [seq, { at }] of last) seqs[at]?.push(seq);
    for (const [at, { number, text }] of found.entries())
      this.addRecord({ number, seqs: seqs[at] ?? [], valid: 0, length: text.length });
    for (const [seq, { text, at }] of last) {
      const { kept } = found[at] as FoundRecord;
      this.put(seq, decodeEntry(text, kept), this.records[at] as LogRecord, text.length + 1);
    }
  }

  read(): Stored {
    const entries = this.entries.entries().map(([seq, { occurrence, attempt }]): StoredEntry => {
      return attempt ? { seq, occurrence, wire: attempt.wire } : { seq, occurrence };
    });
    return { entries: entries.sort((a, b) => a.seq - b.seq), lastSeq: this.lastSeq };
  }

  /**
   * What has to be written for `steps`.
   * @param isRestated what was written is lost: they begin with everything there is. What is here and not among them has
   * a step to come that says what becomes of it
   */
  plan(steps: readonly StoreStep[], isRestated = false): Commit {
    const changes = new Map<number, Change>();
    const attempted: { seq: number; otherwise: AttemptClock }[] = [];
    const buried: DeadLetter[] = [];
    const records: RecordWrite[] = [];
    let { lastSeq } = this;
    if (isRestated) for (const [seq, entry] of this.entries.entries()) changes.set(seq, withoutMoment(entry));
    const entryOf = (seq: number): Change => (changes.has(seq) ? changes.get(seq) : this.entries.get(seq));
    for (const step of steps) {
      switch (step.kind) {
        case 'append':
          changes.set(step.seq, { occurrence: step.occurrence, attempt: undefined });
          lastSeq = Math.max(lastSeq, step.seq);
          break;
        case 'amend':
          if (entryOf(step.seq)) changes.set(step.seq, { occurrence: step.occurrence, attempt: undefined });
          break;
        case 'attempt': {
          const { seq, wire, windowMs, sinceMs = 0 } = step;
          attempted.push({ seq, otherwise: { elapsedMs: sinceMs, windowMs } });
          const entry = entryOf(seq);
          if (!entry) break;
          const { attempt, occurrence } = entry;
          if (!attempt)
            changes.set(seq, { occurrence, attempt: { wire, windowMs, first: { kind: 'with-line', sinceMs } } });
          else if (windowMs < attempt.windowMs) changes.set(seq, { occurrence, attempt: { ...attempt, windowMs } });
          break;
        }
        case 'forget':
          changes.set(step.seq, undefined);
          break;
        case 'bury': {
          const entry = entryOf(step.seq);
          if (entry) buried.push({ occurrence: entry.occurrence, reason: step.reason });
          changes.set(step.seq, undefined);
          break;
        }
        case 'record':
          records.push(step);
      }
    }
    const outdated = isRestated ? this.records.map(({ number }) => number) : this.clean(changes);
    const written = this.write(changes, lastSeq, isRestated);
    return { ...written, changes, outdated, isRestated, buried, records, attempted, lastSeq };
  }

  /**
   * What was planned last is kept, since `moment`.
   * @returns a clock for each attempt among the steps
   */
  apply(commit: Commit, moment: Moment): AttemptClock[] {
    const { number, text, changes, lengths, attempted, lastSeq, outdated, isRestated } = commit;
    if (isRestated) this.forgetAll();
    const record: LogRecord = { number, seqs: [...lengths.keys()], valid: 0, length: text.length };
    for (const [seq, change] of changes) {
      this.drop(seq);
      if (change) this.put(seq, settledAt(change, moment), record, lengths.get(seq) ?? 0);
    }
    this.addRecord(record);
    this.lastSeq = lastSeq;
    const gone = isRestated ? 0 : outdated.length;
    for (const { length } of this.records.splice(0, gone)) this.length -= length;
    return attempted.map(({ seq, otherwise }) => {
      const attempt = this.entries.get(seq)?.attempt;
      return attempt?.first.kind === 'at' ? clockOf(attempt.windowMs, attempt.first.moment, moment) : otherwise;
    });
  }

  /** Takes what has to be moved into `changes`. @returns the records that are out of date then */
  private clean(changes: Map<number, Change>): number[] {
    const outdated: number[] = [];
    let length = this.length;
    let moved = 0;
    for (const record of this.records) {
      const isTooLong = length > 2 * this.validLength + SLACK && moved < MOVED_AT_ONCE;
      if (record.valid > 0 && !isTooLong) break;
      for (const seq of record.valid === 0 ? [] : record.seqs) {
        const entry = this.entries.get(seq);
        if (entry?.record !== record || changes.has(seq)) continue;
        changes.set(seq, entry);
        moved += entry.length;
      }
      outdated.push(record.number);
      length -= record.length;
    }
    return outdated;
  }

  private write(changes: ReadonlyMap<number, Change>, lastSeq: number, isRestated: boolean) {
    const lengths = new Map<number, number>();
    const gone: number[] = [];
    const lines: string[] = [];
    let waiting = isRestated ? 0 : this.entries.size;
    for (const [seq, change] of changes) {
      const isThere = !isRestated && this.entries.has(seq);
      if (change) {
        const line = encodeEntry(seq, change);
        lengths.set(seq, line.length);
        lines.push(line);
        if (!isThere) waiting += 1;
      } else if (isThere) {
        gone.push(seq);
        waiting -= 1;
      }
    }
    lines.push(encodeGone(gone));
    return { number: this.lastNumber + 1, text: encodeText(lastSeq, lines), lengths, waiting };
  }

  private put(seq: number, { occurrence, attempt }: Logged, record: LogRecord, length: number): void {
    this.entries.set(seq, { occurrence, attempt, record, length });
    record.valid += 1;
    this.validLength += length;
  }

  private drop(seq: number): void {
    const kept = this.entries.get(seq);
    if (!kept) return;
    this.entries.delete(seq);
    kept.record.valid -= 1;
    this.validLength -= kept.length;
  }

  private addRecord(record: LogRecord): void {
    this.records.push(record);
    this.length += record.length;
    this.lastNumber = record.number;
  }

  private forgetAll(): void {
    this.entries.clear();
    this.records = [];
    this.length = 0;
    this.validLength = 0;
  }
}

/** Of an attempt by a clock that may be gone nobody knows how long ago it was. */
const withoutMoment = ({ occurrence, attempt }: Logged): Logged => ({
  occurrence,
  attempt: attempt && { ...attempt, first: { kind: 'at', moment: UNKNOWN_MOMENT } },
});

/** An attempt whose line was kept at `moment` has a moment of its own. */
const settledAt = (logged: Logged, { epoch, at }: Moment): Logged => {
  const { occurrence, attempt } = logged;
  if (attempt?.first.kind !== 'with-line') return logged;
  const moment = { epoch, at: at - attempt.first.sinceMs };
  return { occurrence, attempt: { ...attempt, first: { kind: 'at', moment } } };
};

const clockOf = (windowMs: number, first: Moment, now: Moment): AttemptClock => ({
  elapsedMs: first.epoch === now.epoch && now.at >= first.at ? now.at - first.at : 'unknown',
  windowMs,
});
