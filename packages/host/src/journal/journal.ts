import type { JournalRecord } from '../core/reducer.js';
import type { Snapshot } from '../core/snapshot.js';

/** What an earlier process left: a snapshot, if one was taken, and what happened after it. */
export interface Recovered {
  readonly snapshot: Snapshot | undefined;
  readonly records: Iterable<JournalRecord>;
}

/** Where the host's records go. Their order is the order of the calls. */
export interface Journal {
  recover(): Recovered;
  /** Resolves when the record, and with it every earlier one, is durable; nothing to wait for where none ever is. */
  append(record: JournalRecord): Promise<void> | undefined;
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
