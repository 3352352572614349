import type { Occurrence } from '../occurrence/occurrence.js';
import type { WireForm } from '../occurrence/wire-form.js';

/** An occurrence in the outbox. */
export interface StoredEntry {
  /** Position: ascending in the order of appending, never used twice. */
  readonly seq: number;
  readonly occurrence: Occurrence;
  /** What was sent, from the first attempt on. */
  readonly wire?: WireForm;
}

/** What an earlier process left behind. */
export interface Stored {
  /** Everything neither forgotten nor buried, by `seq`. */
  readonly entries: readonly StoredEntry[];
  /** The last number that was ever given out; 0 where none was. */
  readonly lastSeq: number;
}

/** How much of its retry window an occurrence has used. */
export interface AttemptClock {
  /** ms since the first attempt, or `unknown` when the store cannot tell after a restart (RFC-006 §3.1). */
  readonly elapsedMs: number | 'unknown';
  /** The shortest window advertised during the attempts, ms. */
  readonly windowMs: number;
}

/** Why an occurrence was given up. */
export type BurialReason =
  | 'expired'
  | 'unbounded'
  | 'outcome_unknown'
  | 'channel_refused'
  | 'withheld'
  | `refused: ${string}`;

export interface DeadLetter {
  readonly occurrence: Occurrence;
  readonly reason: BurialReason;
}

/** A value to keep beside the outbox, written in the same step as the occurrence it belongs to. */
export interface RecordWrite {
  readonly key: string;
  /** JSON; `undefined` deletes. */
  readonly value: unknown;
  /** After how long without another write it may be forgotten, ms. Default: never. */
  readonly keepMs?: number;
}

/** One change. Each of them, done once more, changes nothing. */
export type StoreStep =
  | { readonly kind: 'append'; readonly seq: number; readonly occurrence: Occurrence }
  /** Replaces an entry's occurrence, if the entry is there. */
  | { readonly kind: 'amend'; readonly seq: number; readonly occurrence: Occurrence }
  /**
   * Records an attempt before it is made. The first one fixes `wire` and starts the clock, by the store's own time; each
   * one may shorten the window, none lengthens it. Its `AttemptClock` is part of the commit's answer.
   */
  | {
      readonly kind: 'attempt';
      readonly seq: number;
      readonly wire: WireForm;
      readonly windowMs: number;
      /** How long ago the first attempt was at least, ms, for a store that may have lost it. Default 0. */
      readonly sinceMs?: number;
    }
  | { readonly kind: 'forget'; readonly seq: number }
  /** Gives an entry up and keeps it as a dead letter. */
  | { readonly kind: 'bury'; readonly seq: number; readonly reason: BurialReason }
  | ({ readonly kind: 'record' } & RecordWrite);

/** Another instance works with this store now; this one must not go on. */
export class StoreTakenOver extends Error {
  override readonly name = 'StoreTakenOver';
}

/** The store has come back without something that it had confirmed; it wants to be told again what there is. */
export class StoreLostWrites extends Error {
  override readonly name = 'StoreLostWrites';
}

/** Where a producer keeps what it must not forget. One process at a time uses a store. */
export interface Store {
  load(): Promise<Stored>;
  /**
   * Takes all `steps` or none, in order, as durably as the store can; one commit at a time. A commit whose fate is unknown
   * may be made again.
   * @param isRestated the steps begin with everything there is, after `StoreLostWrites`
   * @returns a clock for each attempt among the steps
   * @throws StoreTakenOver @throws StoreLostWrites
   */
  commit(steps: readonly StoreStep[], isRestated?: boolean): Promise<AttemptClock[]>;
  /** The newest `limit` dead letters, oldest first. */
  deadLetters(limit: number): Promise<DeadLetter[]>;
  /** A kept value, or `undefined`. */
  read(key: string): Promise<unknown>;
  /** Calls `listener` once when another instance has taken the store over, even if nothing is committed. */
  onTakenOver?(listener: (error: StoreTakenOver) => void): void;
  close(): Promise<void>;
}
