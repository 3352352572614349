import { TransientMap } from '@mcpl-bridges/transient-map';
import type { RecordWrite } from '../store/store.js';

/** The last write of each record on its way to the store: whoever reads it finds what was handed over last. */
export class UnstoredRecords {
  private readonly byKey = new TransientMap<string, RecordWrite>();

  add(records: readonly RecordWrite[]): void {
    for (const record of records) this.byKey.set(record.key, record);
  }

  /** These are stored, or never will be. */
  drop(records: readonly RecordWrite[]): void {
    for (const record of records) if (this.byKey.get(record.key) === record) this.byKey.delete(record.key);
  }

  get(key: string): RecordWrite | undefined {
    return this.byKey.get(key);
  }
}
