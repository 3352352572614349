import { encodeWire } from '../occurrence/wire-form.js';
import { fromFirstSchema, OLD_RECORDS_KEPT_MS, type WireFormOne } from './first-schema.js';
import type { Connection } from './redis-connection.js';

/** The shape of what is kept; another number is another shape. */
export const SCHEMA_VERSION = 2;

/** How many records are moved at once. */
const CHUNK = 500;

/**
 * Brings what the first schema left up to date: an attempt and what it sent become one value, and records, which were
 * one hash for good, become keys that may end. Every step may be done again.
 * @param keyOf the full name of a key of this binding
 */
export const migrateRedis = async (redis: Connection, keyOf: (name: string) => string): Promise<void> => {
  const wires = await redis.hgetall(keyOf('wires'));
  const attempts = await redis.hgetall(keyOf('attempts'));
  for (const [seq, clock] of Object.entries(attempts)) {
    const wire = wires[seq];
    if (wire === undefined || clock.split(':').length !== 2) continue;
    await redis.hset(
      keyOf('attempts'),
      seq,
      `${clock}:1:${encodeWire(fromFirstSchema(JSON.parse(wire) as WireFormOne))}`,
    );
  }
  const last = await redis.get(keyOf('seq'));
  if (last !== null) await redis.set(keyOf('last'), last, 'NX');
  for (let cursor = '0', isFirst = true; isFirst || cursor !== '0'; isFirst = false) {
    const [next, found] = await redis.hscan(keyOf('records'), cursor, 'COUNT', CHUNK);
    for (let i = 0; i < found.length; i += 2)
      await redis.set(keyOf(`record:${found[i]}`), found[i + 1] as string, 'PX', OLD_RECORDS_KEPT_MS, 'NX');
    cursor = next;
  }
  await redis.del(...['seq', 'order', 'wires', 'records'].map(keyOf));
};
