import type { LmdbFolder } from '@mcpl-bridges/lmdb-folder';
import type { Occurrence } from '../occurrence/occurrence.js';
import { decodeWire } from '../occurrence/wire-form.js';
import { fromFirstSchema, OLD_RECORDS_KEPT_MS, type WireFormOne } from './first-schema.js';
import { encodeRecord } from './lmdb-record.js';
import { encodeEntry, encodeText, type Logged, type LoggedAttempt, UNKNOWN_MOMENT } from './log/log-lines.js';

/** The shape of what is kept; another number is another shape. */
export const SCHEMA_VERSION = 3;

/** How the first schema kept an attempt, and the second one in a line. */
interface AttemptOnBoot {
  readonly bootId: string;
  readonly firstAt: number;
  readonly windowMs: number;
}

/** From a value an occurrence to one log; from bare records to records that may end. */
export const migrateFolder = (folder: LmdbFolder, from: number): void => {
  const log = folder.table<string, number>('log', 'string');
  const counters = folder.table<number, string>('counters');
  const entries = from === 1 ? entriesOfFirst(folder) : entriesOfSecond(folder);
  const lines = entries.map(([seq, logged]) => encodeEntry(seq, logged));
  // Every line has its own time.
  log.putSync(1, encodeRecord(encodeText(counters.get('seq') ?? 0, lines), UNKNOWN_MOMENT));
  for (const name of ['entries', 'wires', 'attempts', 'counters']) folder.table<unknown, number>(name).clearSync();
  if (from === 1) endRecords(folder);
};

const attemptOf = (wire: LoggedAttempt['wire'], { bootId, firstAt, windowMs }: AttemptOnBoot): LoggedAttempt => ({
  wire,
  windowMs,
  first: { kind: 'at', moment: { epoch: bootId, at: firstAt } },
});

const entriesOfFirst = (folder: LmdbFolder): [number, Logged][] => {
  const wires = folder.table<WireFormOne, number>('wires');
  const attempts = folder.table<AttemptOnBoot, number>('attempts');
  return [...folder.table<Occurrence, number>('entries').getRange({})].map(({ key, value }) => {
    const [wire, attempt] = [wires.get(key), attempts.get(key)];
    const isAttempted = wire !== undefined && attempt !== undefined;
    return [key, { occurrence: value, attempt: isAttempted ? attemptOf(fromFirstSchema(wire), attempt) : undefined }];
  });
};

/** Three lines: the attempt, what it sent, and the occurrence. */
const entriesOfSecond = (folder: LmdbFolder): [number, Logged][] =>
  [...folder.table<string, number>('entries', 'string').getRange({})].map(({ key, value }) => {
    const [clock = '', wire = '', text = ''] = value.split('\n');
    const [firstAt, windowMs, ...bootId] = clock.split(' ');
    const attempt =
      clock === ''
        ? undefined
        : attemptOf(decodeWire(wire), {
            bootId: bootId.join(' '),
            firstAt: Number(firstAt),
            windowMs: Number(windowMs),
          });
    return [key, { occurrence: JSON.parse(text) as Occurrence, attempt }];
  });

const endRecords = (folder: LmdbFolder): void => {
  const records = folder.table<unknown, string>('records');
  const expiries = folder.table<true, [number, string]>('expiries');
  const until = Date.now() + OLD_RECORDS_KEPT_MS;
  for (const { key, value } of [...records.getRange({})]) {
    records.putSync(key, { value, until });
    expiries.putSync([until, key], true);
  }
};
