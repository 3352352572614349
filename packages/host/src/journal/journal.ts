import type { JournalRecord } from '../core/reducer.js';
import type { Snapshot } from '../core/snapshot.js';

/** A record and its number: 1 for a host's first, one more for each that follows. */
export interface NumberedRecord {
  readonly seq: number;
  readonly record: JournalRecord;
}

/** What an earlier process left: a snapshot, if one was taken, and what happened after it. */
export interface Recovered {
  readonly snapshot: Snapshot | undefined;
  /** In order. Those that the snapshot already holds may be among them; they are not applied again. */
  readonly records: Iterable<NumberedRecord>;
}

/** Where the host's records go. Their order is the order of the calls. */
export interface Journal {
  recover(): Recovered;
  /** Resolves when the record, and with it every earlier one, is durable; nothing to wait for where none ever is. */
  append(numbered: NumberedRecord): Promise<void> | undefined;
  /** Is it time for a snapshot? */
  readonly wantsSnapshot: boolean;
  /** Keeps `snapshot` in the place of every record so far. */
  keep(snapshot: Snapshot): void;
  close(): Promise<void>;
}

/** Forgets: for hosts that live as long as their process. */
export const noJournal: Journal = {
  recover: () => ({ snapshot: undefined, records: [] }),
  append: () => undefined,
  wantsSnapshot: false,
  keep: () => {},
  close: async () => {},
};
