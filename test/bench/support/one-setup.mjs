// One setup in a process of its own: `{ from, count, callers }` asks for a round, `stop` for the end.
import { SETUPS } from './producer-setups.mjs';

/** Runs `one(n)` for n in [from, from + count), `callers` at once. @returns the rate per second, and latencies in ms */
const measure = async (one, { from, count, callers }) => {
  const latencies = new Float64Array(count);
  let next = 0;
  const caller = async () => {
    while (next < count) {
      const n = next++;
      const before = performance.now();
      await one(from + n);
      latencies[n] = performance.now() - before;
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  const rate = count / ((performance.now() - started) / 1000);
  latencies.sort();
  return { rate, p50: latencies[Math.floor(count / 2)], p99: latencies[Math.floor(count * 0.99)] };
};

/** MiB that are reachable. */
const heap = () => {
  global.gc();
  return process.memoryUsage().heapUsed / 1_048_576;
};

const [name, places] = process.argv.slice(2);
const { one, producer, stop } = await SETUPS[name](JSON.parse(places));
process.on('message', async (request) => {
  if (request === 'stop') {
    await stop();
    process.exit(0);
  }
  const figures = await measure(one, request);
  process.send({ ...figures, heap: request.weighed ? heap() : undefined, waiting: producer?.backlog });
});
process.send('ready');
