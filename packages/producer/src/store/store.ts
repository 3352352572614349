import type { Occurrence } from '../occurrence/occurrence.js';
import type { WireForm } from '../occurrence/wire-form.js';

/** An occurrence in the outbox. */
export interface StoredEntry {
  /** Position: ascending in the order of appending, unique in the store. */
  readonly seq: number;
  readonly occurrence: Occurrence;
  /** What was sent, from the first attempt on. */
  readonly wire?: WireForm;
}

/** How much of its retry window an occurrence has used. */
export interface AttemptClock {
  /** ms since the first attempt, or `unknown` when the store cannot tell after a restart (RFC-006 §3.1). */
  readonly elapsedMs: number | 'unknown';
  /** The shortest window advertised during the attempts, ms. */
  readonly windowMs: number;
}

/** Why an occurrence was given up. */
export type BurialReason = 'expired' | 'unbounded' | 'outcome_unknown' | 'channel_refused' | `refused: ${string}`;

export interface DeadLetter {
  readonly occurrence: Occurrence;
  readonly reason: BurialReason;
}

/** A value to keep beside the outbox, written in the same step as the occurrence it belongs to. */
export interface RecordWrite {
  readonly key: string;
  /** JSON; `undefined` deletes. */
  readonly value: unknown;
}

/**
 * Where a producer keeps what it must not forget. One process at a time uses a store. Every method has taken effect,
 * as durably as the store can, when its promise resolves.
 */
export interface Store {
  /** Everything neither settled nor buried, by `seq`. */
  load(): Promise<StoredEntry[]>;
  append(occurrence: Occurrence, records?: readonly RecordWrite[]): Promise<StoredEntry>;
  /** Replaces an entry that was never attempted. */
  amend(seq: number, occurrence: Occurrence, records?: readonly RecordWrite[]): Promise<void>;
  /** Removes an entry that was never attempted. */
  drop(seq: number, records?: readonly RecordWrite[]): Promise<void>;
  /**
   * Records an attempt before it is made. The first one fixes `wire` and starts the clock, by the store's own time;
   * each one may shorten the window, none lengthens it.
   */
  attempt(seq: number, wire: WireForm, windowMs: number): Promise<AttemptClock>;
  /** The host has answered; the entry is gone. */
  settle(seq: number, records?: readonly RecordWrite[]): Promise<void>;
  /** Gives the entry up and keeps it as a dead letter. */
  bury(seq: number, reason: BurialReason): Promise<void>;
  /** The newest `limit` dead letters, oldest first. */
  deadLetters(limit: number): Promise<DeadLetter[]>;
  /** A kept value, or `undefined`. */
  read(key: string): Promise<unknown>;
  write(records: readonly RecordWrite[]): Promise<void>;
  close(): Promise<void>;
}
