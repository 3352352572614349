// From a call to the host's answer, over a pipe to another process, 256 callers at once: bare newline JSON, the bare MCP
// SDK, and the producer kit with each store, as pushes and as messages of an open channel, which share requests. All in
// one run, so that the ratios mean something. Then what a million occurrences leave in memory. REDIS_URL, or one found.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LmdbStore, MemoryStore, Producer, RedisStore } from '@mcpl-bridges/producer';
import { LineTransport } from '@mcpl-bridges/transport';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { findRedis } from '../../scripts/redis.mjs';

const ROUNDS = 5;
const COUNT = Number(process.env.MCPL_BENCH_COUNT ?? 20_000);
const CALLERS = Number(process.env.MCPL_BENCH_CALLERS ?? 256);
const HOST = fileURLToPath(new URL('./support/answering-host.mjs', import.meta.url));
const TEXT = 'a message of a usual length, as people write them';

const startHost = (...args) => spawn(process.execPath, [HOST, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });

const pushParams = (n) => ({
  featureSet: 'bench',
  eventId: `bench:create:${n}`,
  timestamp: '2026-01-01T00:00:00Z',
  tags: ['chat:from-human'],
  payload: { content: [{ type: 'text', text: TEXT }] },
  coalesce: { key: `message:${n}`, channelId: 'chat:room', initial: true },
});

/** Runs `one(n)` for n in [from, from + COUNT), 256 at once; rate and latencies. */
const measure = async (one, from) => {
  const latencies = new Float64Array(COUNT);
  let next = 0;
  const worker = async () => {
    while (next < COUNT) {
      const n = next++;
      const before = performance.now();
      await one(from + n);
      latencies[n] = performance.now() - before;
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: CALLERS }, worker));
  const rate = COUNT / ((performance.now() - started) / 1000);
  latencies.sort();
  return { rate, p50: latencies[COUNT / 2], p99: latencies[Math.floor(COUNT * 0.99)] };
};

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

const redis = await findRedis();
const folder = mkdtempSync(join(tmpdir(), 'bench-lmdb-'));
const opened = '--open';
const inRedis = (name) => RedisStore.open({ url: redis.url, binding: `bench-${process.pid}-${name}` });
const inLmdb = (name) => new LmdbStore({ path: join(folder, name) });
const setups = [
  ['bare newline JSON', bareJson],
  ['bare MCP SDK over stdio', bareSdk],
  ['kit, memory store', () => kit(new MemoryStore())],
  ['kit, memory store, open', () => kit(new MemoryStore(), opened)],
  ['kit, LMDB store', () => kit(inLmdb('closed'))],
  ['kit, LMDB store, open', () => kit(inLmdb('open'), opened)],
  ['kit, Redis store', async () => kit(await inRedis('closed'))],
  ['kit, Redis store, open', async () => kit(await inRedis('open'), opened)],
];
const runs = new Map(setups.map(([name]) => [name, []]));
const live = [];
for (const [name, start] of setups) live.push([name, await start()]);
// Interleaved, so that a slow moment of the machine falls on all.
for (let round = 0; round < ROUNDS; round++)
  for (const [name, { one }] of live) runs.get(name).push(await measure(one, round * COUNT));

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const base = median(runs.get('bare MCP SDK over stdio').map(({ rate }) => rate));
for (const [name, results] of runs) {
  const rates = results.map(({ rate }) => rate);
  const rate = median(rates);
  const spread = Math.round((100 * (Math.max(...rates) - Math.min(...rates))) / rate);
  const ms = (pick) => median(results.map(pick)).toFixed(1);
  process.stdout.write(
    `${name.padEnd(26)} ${Math.round(rate).toLocaleString('en').padStart(9)} /s  ${(rate / base).toFixed(2).padStart(5)} × SDK  ` +
      `p50 ${ms(({ p50 }) => p50)} ms  p99 ${ms(({ p99 }) => p99)} ms  spread ${spread} %\n`,
  );
}
for (const [, { stop }] of live) await stop();

const heap = () => {
  global.gc();
  return (process.memoryUsage().heapUsed / 1_048_576).toFixed(1);
};
const { one, producer, stop } = await kit(inLmdb('million'), opened);
const sizes = [heap()];
for (let part = 0; part < 4; part++) {
  for (let from = part * 250_000; from < (part + 1) * 250_000; from += COUNT) await measure(one, from);
  sizes.push(heap());
}
process.stdout.write(
  `heap after 0, ¼, ½, ¾ and 1 million occurrences with LMDB: ${sizes.join(', ')} MiB; waiting: ${producer.backlog}\n`,
);
await stop();
rmSync(folder, { recursive: true, force: true });
await redis.stop();
process.exit(0);
