import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbFolder } from '@mcpl-bridges/lmdb-folder';
import { afterEach, describe, expect, it } from 'vitest';
import { bootClock } from './boot-clock.js';
import { LmdbStore } from './lmdb-store.js';
import { append, attempt, describeStore, occurrence, wire } from './store.contract.js';

const folders: string[] = [];
const place = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'lmdb-store-'));
  folders.push(path);
  return path;
};
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

describeStore('LMDB', async () => {
  const path = place();
  return { open: async () => new LmdbStore({ path }), dispose: async () => {}, lasting: true };
});

/** The elapsed time that a second process finds, `laterMs` after the first attempt. */
const found = async (second: { bootId: string; now: () => number }) => {
  const path = place();
  const first = new LmdbStore({ path, clock: { bootId: 'this boot', now: () => 1_000_000 } });
  await first.commit([append(1), attempt(1)]);
  await first.close();
  const store = new LmdbStore({ path, clock: second });
  const [clock] = await store.commit([attempt(1)]);
  await store.close();
  return clock?.elapsedMs;
};

describe('a retry deadline in LMDB', () => {
  it('goes on in another process on the same boot', async () => {
    expect(await found({ bootId: 'this boot', now: () => 1_900_000 })).toBe(900_000);
  });

  it('is unknown after a reboot, and where the clock has gone back', async () => {
    expect(await found({ bootId: 'another boot', now: () => 1_900_000 })).toBe('unknown');
    expect(await found({ bootId: 'this boot', now: () => 999_999 })).toBe('unknown');
  });

  it('is kept by a clock that processes of one boot share', () => {
    const [a, b] = [bootClock(), bootClock()];
    if (process.platform === 'linux' || process.platform === 'darwin') expect(a.bootId).toBe(b.bootId);
    const before = a.now();
    expect(b.now() - before).toBeLessThan(1000);
  });
});

it('records in LMDB go when their time is over, and not before', async () => {
  let now = 1000;
  const store = new LmdbStore({ path: place(), now: () => now });
  const write = (key: string, keepMs?: number) =>
    store.commit([{ kind: 'record', key, value: key, ...(keepMs === undefined ? {} : { keepMs }) }]);
  await write('short', 100);
  await write('renewed', 100);
  await write('kept');
  now = 1050;
  await write('renewed', 100);
  now = 1101;
  await write('other', 100);
  const keys = ['short', 'renewed', 'kept', 'other'];
  expect(await Promise.all(keys.map((key) => store.read(key)))).toEqual([undefined, 'renewed', 'kept', 'other']);
  await store.close();
});

it('what the first schema kept in LMDB is brought up to date, to the byte', async () => {
  const path = place();
  const folder = new LmdbFolder(path, 1);
  const [push, incoming] = [wire(5), wire(4)];
  const put = <V>(table: string, key: number | string, value: V) =>
    folder.flushed(folder.table<V, typeof key>(table).put(key, value));
  await put('entries', 4, occurrence(4));
  await put('wires', 5, { method: 'push/event', coalesced: true, params: JSON.parse(push.body) });
  await put('attempts', 4, { bootId: 'b', firstAt: 1000, windowMs: 3_600_000 });
  await put('entries', 5, occurrence(5));
  await put('attempts', 5, { bootId: 'a', firstAt: 1000, windowMs: 3_600_000 });
  await put('wires', 4, {
    method: 'channels/incoming',
    coalesced: false,
    params: { messages: [JSON.parse(incoming.body)] },
  });
  await put('entries', 6, occurrence(6));
  await put('counters', 'seq', 8);
  await put('records', 'revision:c:m', { hash: 'h' });
  await folder.close();
  const store = new LmdbStore({ path, clock: { bootId: 'b', now: () => 3000 } });
  expect(await store.load()).toEqual({
    entries: [
      { seq: 4, occurrence: occurrence(4), wire: incoming },
      { seq: 5, occurrence: occurrence(5), wire: push },
      { seq: 6, occurrence: occurrence(6) },
    ],
    lastSeq: 8,
  });
  expect(await store.commit([attempt(4, 7_200_000), attempt(5)])).toEqual([
    { elapsedMs: 2000, windowMs: 3_600_000 },
    { elapsedMs: 'unknown', windowMs: 3_600_000 },
  ]);
  expect(await store.read('revision:c:m')).toEqual({ hash: 'h' });
  await store.close();
});

it('what the second schema kept in LMDB is brought up to date, to the byte', async () => {
  const path = place();
  const folder = new LmdbFolder(path, 2);
  const push = wire(5);
  const entries = folder.table<string, number>('entries', 'string');
  await folder.flushed(entries.put(5, `1000 3600000 b\npush/event@${push.body}\n${JSON.stringify(occurrence(5))}`));
  await folder.flushed(entries.put(6, `\n\n${JSON.stringify(occurrence(6))}`));
  await folder.flushed(folder.table<number, string>('counters').put('seq', 8));
  await folder.close();
  const store = new LmdbStore({ path, clock: { bootId: 'b', now: () => 3000 } });
  expect(await store.load()).toEqual({
    entries: [
      { seq: 5, occurrence: occurrence(5), wire: push },
      { seq: 6, occurrence: occurrence(6) },
    ],
    lastSeq: 8,
  });
  expect(await store.commit([attempt(5, 7_200_000)])).toEqual([{ elapsedMs: 2000, windowMs: 3_600_000 }]);
  await store.close();
});
