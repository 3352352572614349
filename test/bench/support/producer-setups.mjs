// The ways from a call to the host's answer that are compared, each to a host process of its own.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LmdbStore, MemoryStore, Producer, RedisStore } from '@mcpl-bridges/producer';
import { LineTransport } from '@mcpl-bridges/transport';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';

const HOST = fileURLToPath(new URL('./answering-host.mjs', import.meta.url));
const TEXT = 'a message of a usual length, as people write them';
const OPENED = '--open';

const startHost = (...args) => spawn(process.execPath, [HOST, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });

const pushParams = (n) => ({
  featureSet: 'bench',
  eventId: `bench:create:${n}`,
  timestamp: '2026-01-01T00:00:00Z',
  tags: ['chat:from-human'],
  payload: { content: [{ type: 'text', text: TEXT }] },
  coalesce: { key: `message:${n}`, channelId: 'chat:room', initial: true },
});

const bareJson = async () => {
  const child = startHost();
  const waiting = new Map();
  let batch = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id } = JSON.parse(line);
    waiting.get(id)?.();
    waiting.delete(id);
  });
  const one = (n) =>
    new Promise((resolve) => {
      waiting.set(n, resolve);
      if (batch.push(JSON.stringify({ jsonrpc: '2.0', id: n, method: 'push/event', params: pushParams(n) })) > 1)
        return;
      setImmediate(() => {
        child.stdin.write(`${batch.join('\n')}\n`);
        batch = [];
      });
    });
  return { one, stop: () => child.kill() };
};

const bareSdk = async () => {
  const child = startHost('--greet');
  const server = new Server({ name: 'bench', version: '1' }, { capabilities: {} });
  server.onerror = () => {};
  const ready = new Promise((resolve) => {
    server.oninitialized = resolve;
  });
  child.stdin.setMaxListeners(0);
  await server.connect(new StdioServerTransport(child.stdout, child.stdin));
  await ready;
  const one = (n) => server.request({ method: 'push/event', params: pushParams(n) }, ResultSchema);
  return { one, stop: () => child.kill() };
};

const kit = async (store, ...flags) => {
  const child = startHost('--greet', ...flags);
  const producer = new Producer({
    name: 'bench',
    version: '1',
    platform: 'bench',
    featureSets: {
      bench: { description: 'b', uses: ['pushEvents', 'channels.register', 'channels.lifecycle', 'channels.incoming'] },
    },
    messagingFeatureSet: 'bench',
    store,
    tools: { list: () => [], call: async () => ({ content: [] }) },
    callbacks: { publish: async () => ({ delivered: true }) },
  });
  await producer.open();
  await producer.connect(new LineTransport({ input: child.stdout, output: child.stdin }));
  await producer.register([{ id: 'chat:room', type: 'chat', label: '#room', direction: 'bidirectional' }]);
  const channel = producer.channel('chat:room');
  const facts = {
    author: { id: 'u', name: 'alice' },
    timestamp: '2026-01-01T00:00:00Z',
    content: [{ type: 'text', text: TEXT }],
    tags: ['chat:from-human'],
  };
  const one = async (n) => (await channel.message(String(n)).create(facts)).settled;
  await one(-1);
  return { one, producer, stop: () => producer.close().then(() => child.kill()) };
};

const inLmdb = ({ folder }) => new LmdbStore({ path: join(folder, String(process.pid)) });
const inRedis = ({ redisUrl }) => RedisStore.open({ url: redisUrl, binding: `bench-${process.pid}` });

/** By name; each is given a `folder` and a `redisUrl`, and says how to do `one` and how to `stop`. */
export const SETUPS = {
  'bare newline JSON': bareJson,
  'bare MCP SDK over stdio': bareSdk,
  'kit, memory store': () => kit(new MemoryStore()),
  'kit, memory store, open': () => kit(new MemoryStore(), OPENED),
  'kit, LMDB store': (places) => kit(inLmdb(places)),
  'kit, LMDB store, open': (places) => kit(inLmdb(places), OPENED),
  'kit, Redis store': async (places) => kit(await inRedis(places)),
  'kit, Redis store, open': async (places) => kit(await inRedis(places), OPENED),
};
