import type { Journal } from './index.js';

/**
 * Records in memory, handed back through JSON as a disk would; those that the last snapshot holds, too. Who opens it
 * takes it over: what an earlier owner still writes is lost, as a killed process would have it.
 */
export const paperJournal = (snapshotEvery: number): (() => Journal) => {
  let records: string[] = [];
  let covered = 0;
  let snapshot: string | undefined;
  let owner = 0;
  return () => {
    const me = ++owner;
    return {
      recover: () => ({
        snapshot: snapshot === undefined ? undefined : JSON.parse(snapshot),
        records: records.map((record) => JSON.parse(record)),
      }),
      append: (numbered) => {
        if (me === owner) records.push(JSON.stringify(numbered));
        return undefined;
      },
      get wantsSnapshot() {
        return me === owner && records.length - covered >= snapshotEvery;
      },
      keep: (taken) => {
        snapshot = JSON.stringify(taken);
        records = records.slice(covered);
        covered = records.length;
      },
      close: async () => {},
    };
  };
};
