import type { Occurrence } from '../occurrence/occurrence.js';
import { decodeWire } from '../occurrence/wire-form.js';
import { fromFirstSchema, OLD_RECORDS_KEPT_MS, type WireFormOne } from './first-schema.js';
import { encodeEntry, encodeText, type LoggedAttempt, UNKNOWN_MOMENT } from './log/log-lines.js';
import type { Connection } from './redis-connection.js';
import { encodeMoment, momentField } from './redis-log.js';

/** The shape of what is kept; another number is another shape. */
export const SCHEMA_VERSION = 3;

/** How many records are moved at once. */
const CHUNK = 500;

type KeyOf = (name: string) => string;

/** Brings what an older schema left up to date. Every step may be done again. @param keyOf the full name of a key */
export const migrateRedis = async (redis: Connection, keyOf: KeyOf, from: number): Promise<void> => {
  if (from < 2) await endRecords(redis, keyOf);
  await intoLog(redis, keyOf);
  const gone = ['entries', 'attempts', 'last', 'seq', 'order', 'wires', 'records'];
  await redis.del(...gone.map(keyOf));
};

/** From a value an occurrence to one log, whose lines all have their own times. */
const intoLog = async (redis: Connection, keyOf: KeyOf): Promise<void> => {
  const [entries, attempts, wires, last] = await Promise.all([
    redis.hgetall(keyOf('entries')),
    redis.hgetall(keyOf('attempts')),
    redis.hgetall(keyOf('wires')),
    redis.mget(keyOf('last'), keyOf('seq')),
  ]);
  const lines = Object.entries(entries)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([seq, text]) => {
      const attempt = attempts[seq] === undefined ? undefined : attemptOf(attempts[seq], wires[seq]);
      return encodeEntry(Number(seq), { occurrence: JSON.parse(text) as Occurrence, attempt });
    });
  if (lines.length === 0 && last.every((value) => value === null)) return;
  const text = encodeText(Number(last.find((value) => value !== null) ?? 0), lines);
  await redis.hset(keyOf('log'), 1, text, momentField(1), encodeMoment(UNKNOWN_MOMENT));
  await redis.set(keyOf('waiting'), lines.length);
};

/** `<first>:<window>`, and since the second schema `:<run>:<wire>`, which the first one kept apart as JSON. */
const attemptOf = (text: string, wire: string | undefined): LoggedAttempt | undefined => {
  const [first, windowMs, run = '1', ...sent] = text.split(':');
  if (sent.length === 0 && wire === undefined) return undefined;
  return {
    wire: sent.length > 0 ? decodeWire(sent.join(':')) : fromFirstSchema(JSON.parse(wire as string) as WireFormOne),
    windowMs: Number(windowMs),
    first: { kind: 'at', moment: { epoch: run, at: Number(first) } },
  };
};

/** Records, which were one hash for good, become keys that may end. */
const endRecords = async (redis: Connection, keyOf: KeyOf): Promise<void> => {
  for (let cursor = '0', isFirst = true; isFirst || cursor !== '0'; isFirst = false) {
    const [next, found] = await redis.hscan(keyOf('records'), cursor, 'COUNT', CHUNK);
    for (let i = 0; i < found.length; i += 2)
      await redis.set(keyOf(`record:${found[i]}`), found[i + 1] as string, 'PX', OLD_RECORDS_KEPT_MS, 'NX');
    cursor = next;
  }
};
