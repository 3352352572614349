import type { LmdbFolder } from '@mcpl-bridges/lmdb-folder';
import { fromFirstSchema, OLD_RECORDS_KEPT_MS, type WireFormOne } from './first-schema.js';
import { type AttemptOnBoot, encodeEntry } from './lmdb-entry.js';

/** The shape of what is kept; another number is another shape. */
export const SCHEMA_VERSION = 2;

/** From three tables of JSON to one of text, and from bare records to records that may end. */
export const migrateFolder = (folder: LmdbFolder): void => {
  const old = folder.table<object, number>('entries');
  const wires = folder.table<WireFormOne, number>('wires');
  const attempts = folder.table<AttemptOnBoot, number>('attempts');
  const entries = [...old.getRange({})].map(({ key, value }): [number, string] => {
    const [wire, attempt] = [wires.get(key), attempts.get(key)];
    return [
      key,
      encodeEntry({
        occurrence: JSON.stringify(value),
        ...(wire ? { wire: fromFirstSchema(wire) } : {}),
        ...(attempt ? { attempt } : {}),
      }),
    ];
  });
  const texts = folder.table<string, number>('entries', 'string');
  for (const [key, text] of entries) texts.putSync(key, text);
  wires.clearSync();
  attempts.clearSync();
  const records = folder.table<unknown, string>('records');
  const expiries = folder.table<true, [number, string]>('expiries');
  const until = Date.now() + OLD_RECORDS_KEPT_MS;
  for (const { key, value } of [...records.getRange({})]) {
    records.putSync(key, { value, until });
    expiries.putSync([until, key], true);
  }
};
