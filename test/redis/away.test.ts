import { Host } from '@mcpl-bridges/host';
import { type Health, Producer, RedisStore } from '@mcpl-bridges/producer';
import { plainText } from '@mcpl-bridges/protocol';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { RedisServer } from '../helpers/redis-server.js';

const CHANNEL = { id: 'chat:room', type: 'chat', label: '#room', direction: 'bidirectional' } as const;

it('while Redis is away nothing is sent and what happens is held; when it is back everything goes on, in order', async () => {
  const redis = await RedisServer.start();
  afterThisTest(() => redis.stop());
  const health: Health['kind'][] = [];
  const producer = new Producer({
    name: 'chat',
    version: '1',
    platform: 'chat',
    featureSets: { messaging: { description: 'm', uses: ['pushEvents', 'channels.register', 'channels.incoming'] } },
    messagingFeatureSet: 'messaging',
    store: await RedisStore.open({ url: `redis://127.0.0.1:${redis.port}`, binding: 'b' }),
    tools: { list: () => [], call: async () => ({ content: [] }) },
    callbacks: { publish: async () => ({ delivered: true }), health: ({ kind }) => health.push(kind) },
  });
  afterThisTest(() => producer.close());
  const host = new Host();
  afterThisTest(() => host.close());
  const [a, b] = InMemoryTransport.createLinkedPair();
  await producer.register([CHANNEL]);
  await producer.connect(b);
  await host.connect(a, { serverId: 'chat', endpoint: 'memory:' });
  const say = (n: number) =>
    producer
      .channel(CHANNEL.id)
      .message(String(n))
      .create({
        author: { id: 'u', name: 'alice' },
        timestamp: '2026-01-01T00:00:00Z',
        content: [{ type: 'text', text: `message ${n}` }],
        tags: [],
      });
  const unread = async () => {
    await host.engine.assemble('main');
    return host.engine.entries('main').map(({ content }) => plainText([...content]));
  };
  await (await say(1)).settled;
  await redis.kill();
  const held = [2, 3, 4].map(say);
  await vi.waitFor(() => expect(health).toEqual(['degraded']), 10_000);
  expect(producer.health.kind).toBe('degraded');
  expect(await unread()).toEqual(['message 1']);
  await redis.up();
  for (const one of held) expect(await (await one).settled).toEqual({ kind: 'delivered' });
  expect(await unread()).toEqual(['message 1', 'message 2', 'message 3', 'message 4']);
  expect(health).toEqual(['degraded', 'ok']);
});
