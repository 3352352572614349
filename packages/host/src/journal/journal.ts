import type { Checkpoint } from '../core/checkpoint.js';
import type { JournalRecord } from '../core/reducer.js';
import type { StoredState } from '../core/restore.js';

/** A record and its number: 1 for a host's first, one more for each that follows. */
export interface NumberedRecord {
  readonly seq: number;
  readonly record: JournalRecord;
}

/** What an earlier process left: the state as of its last checkpoint, if it took one, and what happened after it. */
export interface Recovered {
  readonly state: StoredState | undefined;
  /** In order. Those that the state already holds may be among them; they are not applied again. */
  readonly records: Iterable<NumberedRecord>;
}

/** Where the host's records go. Their order is the order of the calls. */
export interface Journal {
  recover(): Recovered;
  /** Resolves when the record, and with it every earlier one, is durable; nothing to wait for where none ever is. */
  append(numbered: NumberedRecord): Promise<void> | undefined;
  /** Is it time for a checkpoint? Never, where nothing is kept. */
  readonly wantsCheckpoint: boolean;
  /** Brings the state that is kept up to date, in the place of every record so far. */
  keep(checkpoint: Checkpoint): void;
  close(): Promise<void>;
}

/** Forgets: for hosts that live as long as their process. */
export const noJournal: Journal = {
  recover: () => ({ state: undefined, records: [] }),
  append: () => undefined,
  wantsCheckpoint: false,
  keep: () => {},
  close: async () => {},
};
