import { RedisStore, type Store, type StoreStep } from '@mcpl-bridges/producer';
import { Redis } from 'ioredis';
import { nanoid } from 'nanoid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { append, describeStore } from '../../packages/producer/src/store/store.contract.js';
import { afterThisTest } from '../helpers/cleanup.js';
import { RedisServer } from '../helpers/redis-server.js';

const SOON = { timeout: 20_000, interval: 100 };
const NODE_TIMEOUT_MS = 1000;
const CLUSTER = ['--cluster-enabled', 'yes', '--cluster-node-timeout', `${NODE_TIMEOUT_MS}`];

const ask = async <T>(server: RedisServer, question: (redis: Redis) => Promise<T>): Promise<T> => {
  const redis = new Redis(server.port, '127.0.0.1', { lazyConnect: true });
  redis.on('error', () => {});
  try {
    return await question(redis);
  } finally {
    redis.disconnect();
  }
};

const nodeId = (server: RedisServer): Promise<string> =>
  ask(server, async (redis) => (await redis.call('CLUSTER', 'MYID')) as string);

/** Three masters that share the slots, and a replica of each. */
const startCluster = async (): Promise<RedisServer[]> => {
  const servers = await Promise.all(Array.from({ length: 6 }, () => RedisServer.start(CLUSTER)));
  const [first, ...others] = servers as [RedisServer, ...RedisServer[]];
  for (const { port } of others) await ask(first, (redis) => redis.call('CLUSTER', 'MEET', '127.0.0.1', port));
  for (const [i, [from, to]] of [
    [0, 5460],
    [5461, 10_922],
    [10_923, 16_383],
  ].entries())
    await ask(servers[i] as RedisServer, (redis) => redis.call('CLUSTER', 'ADDSLOTSRANGE', `${from}`, `${to}`));
  const info = (server: RedisServer) => ask(server, async (redis) => (await redis.call('CLUSTER', 'INFO')) as string);
  const everyone = async (what: string) => (await Promise.all(servers.map(info))).every((text) => text.includes(what));
  await vi.waitUntil(() => everyone('cluster_known_nodes:6'), SOON);
  for (const [i, replica] of servers.slice(3).entries()) {
    const master = await nodeId(servers[i] as RedisServer);
    await vi.waitFor(() => ask(replica, (redis) => redis.call('CLUSTER', 'REPLICATE', master)), SOON);
  }
  await vi.waitUntil(() => everyone('cluster_state:ok'), SOON);
  return servers;
};

const isMaster = (server: RedisServer): Promise<boolean> =>
  ask(server, async (redis) => ((await redis.call('ROLE')) as unknown[])[0] === 'master').catch(() => false);

const isCaughtUp = (replica: RedisServer): Promise<boolean> =>
  ask(replica, async (redis) => /master_link_status:up/.test(await redis.info('replication')));

/** Commits, however often it takes, as the outbox does. */
const commit = async (store: Store, steps: readonly StoreStep[]): Promise<void> => {
  await expect
    .poll(() => store.commit(steps).then(() => 'kept', String), { timeout: 30_000, interval: 200 })
    .toBe('kept');
};

const seqs = async (store: Store): Promise<number[]> => (await store.load()).entries.map(({ seq }) => seq);

describe('a cluster', () => {
  let servers: RedisServer[] = [];
  const url = () => `redis+cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  beforeAll(async () => {
    servers = await startCluster();
  }, 60_000);
  afterAll(async () => {
    for (const server of servers) await server.stop();
  });

  describeStore('Redis Cluster', async () => {
    const binding = nanoid();
    return { open: () => RedisStore.open({ url: url(), binding }), dispose: async () => {}, lasting: true };
  });

  it('whose master dies goes on with the replica, and nothing is lost', async () => {
    const binding = nanoid();
    const store = await RedisStore.open({ url: url(), binding });
    afterThisTest(() => store.close());
    await commit(store, [append(1)]);
    const slot = await ask(servers[0] as RedisServer, async (redis) =>
      Number(await redis.call('CLUSTER', 'KEYSLOT', `mcpl:{${binding}}:log`)),
    );
    const [master, replica] = [Math.floor(slot / 5461), Math.floor(slot / 5461) + 3].map((i) => servers[i]) as [
      RedisServer,
      RedisServer,
    ];
    await expect.poll(() => isCaughtUp(replica), SOON).toBe(true);
    await master.kill();
    await commit(store, [append(2)]);
    expect(await isMaster(replica)).toBe(true);
    expect(await seqs(store)).toEqual([1, 2]);
  }, 90_000);
});

describe('a master behind Sentinel', () => {
  it('that dies is replaced, and nothing is lost', async () => {
    const master = await RedisServer.start();
    const replica = await RedisServer.start(['--replicaof', '127.0.0.1', `${master.port}`]);
    const sentinel = await RedisServer.startSentinel(master.port);
    for (const server of [master, replica, sentinel]) afterThisTest(() => server.stop());
    await expect.poll(() => isCaughtUp(replica), SOON).toBe(true);
    const url = `redis+sentinel://127.0.0.1:${sentinel.port}?master=mymaster`;
    await expect
      .poll(() => ask(sentinel, async (redis) => String(await redis.call('SENTINEL', 'REPLICAS', 'mymaster'))), {
        timeout: 20_000,
      })
      .toContain(String(replica.port));
    const store = await RedisStore.open({ url: `${url}&replicas=1`, binding: 'b' });
    afterThisTest(() => store.close());
    await commit(store, [append(1)]);
    await master.kill();
    await expect.poll(() => isMaster(replica), { timeout: 30_000 }).toBe(true);
    // The new master is alone: what only it has does not count yet.
    await master.up();
    await commit(store, [append(2)]);
    expect(await seqs(store)).toEqual([1, 2]);
  }, 120_000);
});

it('what too few replicas have does not count', async () => {
  const master = await RedisServer.start();
  const replica = await RedisServer.start(['--replicaof', '127.0.0.1', `${master.port}`]);
  for (const server of [master, replica]) afterThisTest(() => server.stop());
  await expect.poll(() => isCaughtUp(replica), SOON).toBe(true);
  const store = await RedisStore.open({ url: `redis://127.0.0.1:${master.port}?replicas=1`, binding: 'b' });
  afterThisTest(() => store.close());
  await store.commit([append(1)]);
  await replica.kill();
  await expect(store.commit([append(2)])).rejects.toThrow(/0 of 1 replicas of Redis have what was written/);
  await replica.up();
  await commit(store, [append(2)]);
  expect(await seqs(store)).toEqual([1, 2]);
});
