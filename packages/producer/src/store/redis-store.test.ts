import { Redis } from 'ioredis';
import { nanoid } from 'nanoid';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../log.js';
import { RedisStore, type RedisStoreOptions } from './redis-store.js';
import { append, attempt, describeStore, occurrence, wire } from './store.contract.js';
import type { StoreStep } from './store.js';

const url = process.env.REDIS_URL;
if (!url) throw new Error('REDIS_URL is not set: run npm test, which finds or starts a Redis');

const redis = new Redis(url, { lazyConnect: true });
const stores: RedisStore[] = [];
const bindings: string[] = [];
const bindingName = (): string => {
  const binding = nanoid();
  bindings.push(binding);
  return binding;
};
const open = async (binding: string, options: Partial<RedisStoreOptions> = {}): Promise<RedisStore> => {
  const store = await RedisStore.open({ url, binding, ...options });
  stores.push(store);
  return store;
};

const clean = async (binding: string): Promise<void> => {
  const keys = await redis.keys(`mcpl:{${binding}*`);
  if (keys.length > 0) await redis.del(...keys);
};

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const binding of bindings.splice(0)) await clean(binding);
});

describeStore('Redis', async () => {
  const binding = nanoid();
  return { open: () => RedisStore.open({ url, binding }), dispose: () => clean(binding), lasting: true };
});

describe('the Redis store', () => {
  it('keeps two bindings on one server apart, and two shards of one', async () => {
    const binding = bindingName();
    const all = [await open(bindingName()), await open(binding)];
    for (const shard of ['0', '1']) all.push(await open(binding, { url: `${url}?shard=${shard}` }));
    for (const [n, store] of all.entries()) await store.commit([{ kind: 'record', key: 'k', value: n }]);
    expect(await Promise.all(all.map((store) => store.read('k')))).toEqual([0, 1, 2, 3]);
  });

  it('measures a retry deadline by the clock of Redis, not by that of the process', async () => {
    const binding = bindingName();
    const store = await open(binding);
    await store.commit([append(1), attempt(1, 7_200_000)]);
    await store.close();
    const [seconds] = await redis.time();
    await redis.hset(`mcpl:{${binding}}:log`, '1@', `${(Number(seconds) - 5400) * 1000} 1`);
    const [clock] = await (await open(binding)).commit([attempt(1, 7_200_000)]);
    expect(clock?.elapsedMs).toBeGreaterThanOrEqual(5_399_000);
    expect(clock?.elapsedMs).toBeLessThan(5_460_000);
  });

  it('knows no more how long ago an attempt was when the clock of Redis has gone back', async () => {
    const binding = bindingName();
    const store = await open(binding);
    await store.commit([append(1), attempt(1)]);
    const [seconds] = await redis.time();
    // As it would be had the clock been two minutes ahead a moment ago.
    await redis.set(`mcpl:{${binding}}:clock`, `1 ${(Number(seconds) + 120) * 1000}`);
    const clocks = await store.commit([attempt(1), append(2), attempt(2)]);
    expect(clocks.map(({ elapsedMs }) => elapsedMs)).toEqual(['unknown', 0]);
    expect((await store.commit([attempt(2)]))[0]?.elapsedMs).toBeGreaterThanOrEqual(0);
  });

  it('forgets records when their time is over', async () => {
    const binding = bindingName();
    const store = await open(binding);
    await store.commit([
      { kind: 'record', key: 'a', value: 1, keepMs: 60_000 },
      { kind: 'record', key: 'b', value: 1 },
    ]);
    const left = await redis.pttl(`mcpl:{${binding}}:record:a`);
    expect(left).toBeGreaterThan(50_000);
    expect(left).toBeLessThanOrEqual(60_000);
    expect(await redis.pttl(`mcpl:{${binding}}:record:b`)).toBe(-1);
  });

  it('says which server it cannot reach', async () => {
    await expect(RedisStore.open({ url: 'redis://127.0.0.1:1', binding: 'x' })).rejects.toThrow(
      /Redis at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/,
    );
  });

  it('says what is wrong with the settings of its server', async () => {
    const told: unknown[] = [];
    const log = { ...silentLog, warn: (_: object, what: string) => told.push(what) };
    const [, before = ''] = (await redis.config('GET', 'maxmemory-policy')) as string[];
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await open(bindingName(), { log });
    await redis.config('SET', 'maxmemory-policy', before);
    expect(told).toContainEqual(expect.stringMatching(/maxmemory-policy allkeys-lru: .*; set noeviction$/));
  });
});

describe('several instances of one binding', () => {
  it('take turns: a standby waits until the active one gives the store back', async () => {
    const binding = bindingName();
    const active = await open(binding);
    await active.commit([append(1), attempt(1)]);
    const standby: string[] = [];
    const second = open(binding, { onStandby: (holder) => standby.push(holder) });
    await expect.poll(() => standby).toHaveLength(1);
    await active.close();
    expect((await (await second).load()).entries).toHaveLength(1);
  });

  it('replace one that is silent for longer than its lease; it can keep nothing more', async () => {
    const binding = bindingName();
    const silent = await open(binding);
    await silent.commit([append(1)]);
    const told: Error[] = [];
    silent.onTakenOver((error) => told.push(error));
    // As a process that was stopped for as long: its lease is over.
    await redis.del(`mcpl:{${binding}}:lease`);
    const next = await open(binding);
    await next.commit([append(2)]);
    await expect(silent.commit([append(3)])).rejects.toThrow(/another instance works with this store now/);
    expect((await next.load()).entries.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('tell one that was replaced, even if it has nothing to keep', async () => {
    const binding = bindingName();
    const silent = await open(binding, { url: `${url}?lease=1000` });
    const told = new Promise((resolve) => silent.onTakenOver(resolve));
    await redis.del(`mcpl:{${binding}}:lease`);
    await open(binding);
    expect(await told).toMatchObject({ name: 'StoreTakenOver' });
  });

  it('give up waiting when they are asked to', async () => {
    const binding = bindingName();
    await open(binding);
    const end = new AbortController();
    await expect(open(binding, { signal: end.signal, onStandby: () => end.abort() })).rejects.toThrow(/abort/i);
  });
});

describe('a Redis that has lost what it confirmed', () => {
  const lose = async (binding: string) => {
    await clean(binding);
  };

  it('says so, and takes everything again', async () => {
    const binding = bindingName();
    const store = await open(binding);
    await store.commit([append(1), attempt(1)]);
    await lose(binding);
    const more: StoreStep[] = [append(2)];
    await expect(store.commit(more)).rejects.toMatchObject({ name: 'StoreLostWrites' });
    const told = { ...attempt(1), sinceMs: 1000 } as StoreStep;
    await store.commit([append(1), told, ...more], true);
    await store.commit([append(3)]);
    const { entries, lastSeq } = await store.load();
    expect([entries.map(({ seq }) => seq), lastSeq]).toEqual([[1, 2, 3], 3]);
  });

  it('keeps what is given up meanwhile as a dead letter, and knows no more when what is left was attempted', async () => {
    const binding = bindingName();
    const store = await open(binding);
    await store.commit([append(1), append(2), append(3), attempt(3)]);
    await lose(binding);
    const bury = (seq: number): StoreStep => ({ kind: 'bury', seq, reason: 'expired' });
    await expect(store.commit([bury(1)])).rejects.toMatchObject({ name: 'StoreLostWrites' });
    await store.commit([bury(1)], true);
    await store.commit([bury(2)]);
    expect((await store.deadLetters(9)).map(({ occurrence }) => occurrence.eventId)).toEqual([
      'chat:create:1',
      'chat:create:2',
    ]);
    await store.close();
    const [clock] = await (await open(binding)).commit([attempt(3)]);
    expect(clock?.elapsedMs).toBe('unknown');
  });

  it('is noticed, too, where only the last commits are gone, as after a fail-over', async () => {
    const binding = bindingName();
    const store = await open(binding);
    for (const seq of [1, 2, 3]) await store.commit([append(seq)]);
    await redis.set(`mcpl:{${binding}}:commits`, 1);
    await expect(store.commit([append(4)])).rejects.toMatchObject({ name: 'StoreLostWrites' });
  });

  it('does not give two instances the store, whoever comes first', async () => {
    const binding = bindingName();
    const first = await open(binding);
    await first.commit([append(1)]);
    await lose(binding);
    const second = await open(binding);
    await second.commit([append(5)]);
    await expect(first.commit([append(2)])).rejects.toMatchObject({ name: 'StoreTakenOver' });
  });
});

describe('the schema in Redis', () => {
  const push = wire(5);
  /** Of 5, attempted a minute ago, and 6. */
  const expectWhole = async (store: RedisStore): Promise<void> => {
    expect(await store.load()).toEqual({
      entries: [
        { seq: 5, occurrence: occurrence(5), wire: push },
        { seq: 6, occurrence: occurrence(6) },
      ],
      lastSeq: 7,
    });
    const [clock] = await store.commit([attempt(5, 7_200_000)]);
    expect(clock?.windowMs).toBe(3_600_000);
    expect(clock?.elapsedMs).toBeGreaterThan(50_000);
  };

  it('of the first version is brought up to date, to the byte', async () => {
    const binding = bindingName();
    const key = (name: string) => `mcpl:{${binding}}:${name}`;
    await redis.set(key('seq'), 7);
    await redis.zadd(key('order'), 5, 5, 6, 6);
    await redis.hset(key('entries'), 5, JSON.stringify(occurrence(5)), 6, JSON.stringify(occurrence(6)));
    await redis.hset(
      key('wires'),
      5,
      JSON.stringify({ method: 'push/event', coalesced: true, params: JSON.parse(push.body) }),
    );
    await redis.hset(key('attempts'), 5, `${Date.now() - 60_000}:3600000`);
    await redis.hset(key('records'), 'revision:c:m', '{"hash":"h"}');
    const store = await open(binding);
    await expectWhole(store);
    expect(await store.read('revision:c:m')).toEqual({ hash: 'h' });
    expect(await redis.exists(key('wires'), key('order'), key('records'))).toBe(0);
  });

  it('of the second version is brought up to date, to the byte', async () => {
    const binding = bindingName();
    const key = (name: string) => `mcpl:{${binding}}:${name}`;
    await redis.set(key('schema'), 2);
    await redis.set(key('last'), 7);
    await redis.hset(key('entries'), 5, JSON.stringify(occurrence(5)), 6, JSON.stringify(occurrence(6)));
    await redis.hset(key('attempts'), 5, `${Date.now() - 60_000}:3600000:2:push/event@${push.body}`);
    await redis.set(key('clock'), `2 ${Date.now() - 1000}`);
    const store = await open(binding);
    await expectWhole(store);
    expect(await redis.exists(key('entries'), key('attempts'), key('last'))).toBe(0);
  });

  it('of a newer version is refused', async () => {
    const binding = bindingName();
    await redis.set(`mcpl:{${binding}}:schema`, 4);
    await expect(open(binding)).rejects.toThrow(
      /newer version has written .* \(schema 4\); update, or use another binding/,
    );
  });
});
