import type { Journal } from './index.js';

/** Records in memory, handed back through JSON as a disk would. */
export const paperJournal = (snapshotEvery: number): (() => Journal) => {
  let records: string[] = [];
  let snapshot: string | undefined;
  return () => ({
    recover: () => ({
      snapshot: snapshot === undefined ? undefined : JSON.parse(snapshot),
      records: records.map((record) => JSON.parse(record)),
    }),
    append: (record) => {
      records.push(JSON.stringify(record));
      return undefined;
    },
    get wantsSnapshot() {
      return records.length >= snapshotEvery;
    },
    keep: (taken) => {
      snapshot = JSON.stringify(taken);
      records = [];
    },
    close: async () => {},
  });
};
