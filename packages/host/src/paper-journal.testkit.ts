import type { Checkpoint, Journal, StoredState } from './index.js';

/** Tables as checkpoints make them, written through JSON as a disk would. */
export class PaperTables {
  private counters: string | undefined;
  private readonly tables = { subjects: new Map(), receipts: new Map(), contexts: new Map() };
  private readonly entries = { read: new Map(), unread: new Map() };

  apply(checkpoint: Checkpoint): void {
    this.counters = JSON.stringify(checkpoint.counters);
    for (const name of ['subjects', 'receipts'] as const) {
      for (const n of checkpoint[name].gone) this.tables[name].delete(n);
      for (const one of checkpoint[name].put) this.tables[name].set(one.n, JSON.stringify(one));
    }
    for (const one of checkpoint.contexts) this.tables.contexts.set(one.n, JSON.stringify(one));
    for (const name of ['read', 'unread'] as const) {
      for (const { context, at } of checkpoint[name].gone) this.entries[name].delete(`${context}:${at}`);
      for (const one of checkpoint[name].put) this.entries[name].set(`${one.context}:${one.at}`, JSON.stringify(one));
    }
  }

  get state(): StoredState | undefined {
    if (this.counters === undefined) return undefined;
    const parsed = (table: Map<unknown, string>) => [...table.values()].map((text) => JSON.parse(text));
    const inOrder = (table: Map<unknown, string>) => parsed(table).sort((a, b) => a.context - b.context || a.at - b.at);
    return {
      counters: JSON.parse(this.counters),
      subjects: parsed(this.tables.subjects).reverse(),
      receipts: parsed(this.tables.receipts).sort((a, b) => a.n - b.n),
      contexts: parsed(this.tables.contexts).reverse(),
      read: inOrder(this.entries.read),
      unread: inOrder(this.entries.unread),
    };
  }
}

/**
 * Records in memory, handed back through JSON as a disk would; those that the last checkpoint holds, too. Who opens it
 * takes it over: what an earlier owner still writes is lost, as a killed process would have it.
 */
export const paperJournal = (checkpointEvery: number): (() => Journal) => {
  const tables = new PaperTables();
  let records: string[] = [];
  let covered = 0;
  let owner = 0;
  return () => {
    const me = ++owner;
    return {
      recover: () => ({ state: tables.state, records: records.map((record) => JSON.parse(record)) }),
      append: (numbered) => {
        if (me === owner) records.push(JSON.stringify(numbered));
        return undefined;
      },
      get wantsCheckpoint() {
        return me === owner && records.length - covered >= checkpointEvery;
      },
      keep: (checkpoint) => {
        tables.apply(checkpoint);
        records = records.slice(covered);
        covered = records.length;
      },
      close: async () => {},
    };
  };
};
