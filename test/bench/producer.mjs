// From a call to the host's answer, over a pipe to another process: bare newline JSON, the bare MCP SDK, and the producer
// kit with each store, as pushes and as messages of an open channel, which share requests. With 256 callers at once, as
// many as may be under way to the host; and with twice as many, so that as many more can be recorded meanwhile. All in
// one run, in turns, so that the ratios mean something; each in a process of its own, as it would be in use, so that
// none pays for the garbage of another, started with MCPL_BENCH_NODE, such as "--min-semi-space-size=64
// --max-semi-space-size=64". Then what a million occurrences leave in memory. REDIS_URL, or one found.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRedis } from '../../scripts/redis.mjs';
import { SETUPS } from './support/producer-setups.mjs';

const ROUNDS = Number(process.env.MCPL_BENCH_ROUNDS ?? 9);
const COUNT = Number(process.env.MCPL_BENCH_COUNT ?? 20_000);
const CALLERS = (process.env.MCPL_BENCH_CALLERS ?? '256,512').split(',').map(Number);
const NODE_FLAGS = (process.env.MCPL_BENCH_NODE ?? '').split(' ').filter(Boolean);
const BASE = 'bare MCP SDK over stdio';
const ONE_SETUP = fileURLToPath(new URL('./support/one-setup.mjs', import.meta.url));

const redis = await findRedis();
const folder = mkdtempSync(join(tmpdir(), 'bench-lmdb-'));

const start = async (name) => {
  const child = fork(ONE_SETUP, [name, JSON.stringify({ folder, redisUrl: redis.url })], {
    execArgv: ['--expose-gc', ...NODE_FLAGS],
  });
  const ended = once(child, 'exit');
  const answer = () =>
    Promise.race([
      once(child, 'message').then(([message]) => message),
      ended.then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`))),
    ]);
  await answer();
  return {
    round: (request) => {
      child.send(request);
      return answer();
    },
    stop: () => {
      child.send('stop');
      return ended;
    },
  };
};

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const print = (line) => process.stdout.write(`${line}\n`);

const live = new Map();
for (const name of Object.keys(SETUPS)) live.set(name, await start(name));
const rounds = CALLERS.map(() => new Map([...live.keys()].map((name) => [name, []])));
let from = 0;
for (let round = 0; round < ROUNDS; round++)
  for (const [i, callers] of CALLERS.entries()) {
    for (const [name, one] of live) rounds[i].get(name).push(await one.round({ from, count: COUNT, callers }));
    from += COUNT;
  }
for (const one of live.values()) await one.stop();

for (const [i, figures] of rounds.entries()) {
  print(`${CALLERS[i]} callers`);
  for (const [name, own] of figures) {
    const rate = median(own.map((one) => one.rate));
    // Each against the SDK's of its own round: a slow moment of the machine falls on both.
    const ratios = own.map((one, round) => one.rate / figures.get(BASE)[round].rate);
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    const ms = (pick) => median(own.map(pick)).toFixed(1);
    print(
      `  ${name.padEnd(24)} ${Math.round(rate).toLocaleString('en').padStart(9)} /s  ` +
        `${median(ratios).toFixed(2).padStart(5)} × SDK (${spread})  ` +
        `p50 ${ms(({ p50 }) => p50)} ms  p99 ${ms(({ p99 }) => p99)} ms`,
    );
  }
}

const { round, stop } = await start('kit, LMDB store, open');
const heaps = [];
let waiting;
for (const first of [-1, 0, 250_000, 500_000, 750_000]) {
  const count = first < 0 ? 1 : 250_000;
  const figures = await round({ from: first, count, callers: CALLERS[0], weighed: true });
  heaps.push(figures.heap.toFixed(1));
  waiting = figures.waiting;
}
print(`heap after 0, ¼, ½, ¾ and 1 million occurrences with LMDB: ${heaps.join(', ')} MiB; waiting: ${waiting}`);
await stop();
rmSync(folder, { recursive: true, force: true });
await redis.stop();
process.exit(0);
