import { ALL_LEAVES } from '@mcpl-bridges/protocol';
import { expect, it } from 'vitest';
import { silentLog } from '../log.js';
import type { MessageOccurrence } from '../occurrence/occurrence.js';
import { MemoryStore } from '../store/memory-store.js';
import type { Store } from '../store/store.js';
import { systemTime } from '../time.js';
import { DEFAULT_OUTBOX_LIMITS, Outbox } from './outbox.js';
import { ReadyList } from './ready-list.js';

const occurrence = (n: number): MessageOccurrence => ({
  kind: 'message',
  eventId: `e${n}`,
  action: 'create',
  channelId: `c${n % 2}`,
  messageId: String(n),
  key: `message:${n}`,
  initial: true,
  featureSet: 'f',
  author: { id: 'u', name: 'alice' },
  timestamp: '2026-01-01T00:00:00Z',
  content: [{ type: 'text', text: `text ${n}` }],
  tags: [],
  origin: {},
});

/** Long enough for a commit and what follows from it. */
const turn = async () => {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** An outbox for ten, of which three may be under way; the host answers when it is told to. */
const setUp = async (store: Store = new MemoryStore()) => {
  const answers: (() => void)[] = [];
  const told: number[] = [];
  const outbox = new Outbox({
    store,
    time: systemTime,
    random: () => 0,
    log: silentLog,
    limits: { ...DEFAULT_OUTBOX_LIMITS, inFlight: 3, capacity: 10 },
    onHealth: () => {},
    onHighWater: (waiting) => told.push(waiting),
    sender: {
      route: () => ({ kind: 'channel-push' }),
      policyEpoch: () => 1,
      retryWindowMs: () => 3_600_000,
      leaves: () => ALL_LEAVES,
      permits: () => 'yes',
      withholds: () => false,
      maxMessages: () => 1,
      registerAgain: async () => {},
      summarise: async () => [],
      send: (_method, _params, answered) =>
        void answers.push(() => answered({ kind: 'result', result: { accepted: true }, late: false })),
    },
  });
  await outbox.restore();
  return { outbox, answers, told };
};

it('an outbox that is full makes those who submit wait, says so once, and loses nothing', async () => {
  const { outbox, answers, told } = await setUp();
  let stored = 0;
  const settled: unknown[] = [];
  const submissions = Array.from({ length: 25 }, (_, n) =>
    outbox.submit(occurrence(n)).then(async (one) => {
      stored += 1;
      settled.push(await one.settled);
    }),
  );
  await turn();
  expect([stored, outbox.length, answers.length]).toEqual([10, 10, 3]);
  expect(told).toEqual([8]);
  while (settled.length < 25) {
    answers.shift()?.();
    await turn();
    expect(outbox.length).toBeLessThanOrEqual(10);
  }
  await Promise.all(submissions);
  expect(outbox.length).toBe(0);
  expect(new Set(settled.map((one) => JSON.stringify(one)))).toEqual(new Set(['{"kind":"delivered"}']));
});

it('a record is read as it was handed over last, while it waits for the store, for room, and later', async () => {
  const kept = new MemoryStore();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const { outbox, answers } = await setUp({
    load: () => kept.load(),
    read: (key) => kept.read(key),
    deadLetters: (limit) => kept.deadLetters(limit),
    close: async () => {},
    commit: async (steps) => {
      await held;
      return kept.commit(steps);
    },
  });
  const write = (value: unknown) => [{ key: 'a', value }];
  const first = outbox.keep(write(1));
  await turn();
  expect([await outbox.recall('a'), await kept.read('a')]).toEqual([1, undefined]);
  const submissions = Array.from({ length: 12 }, (_, n) => outbox.submit(occurrence(n), write(`of ${n}`)));
  expect(await outbox.recall('a')).toBe('of 11');
  release();
  await first;
  await turn();
  expect([await outbox.recall('a'), await kept.read('a')]).toEqual(['of 11', 'of 9']);
  let isDone = false;
  void Promise.all(submissions).then(() => (isDone = true));
  while (!isDone) {
    answers.shift()?.();
    await turn();
  }
  expect([await outbox.recall('a'), await kept.read('a')]).toEqual(['of 11', 'of 11']);
  await outbox.keep(write(undefined));
  expect(await outbox.recall('a')).toBeUndefined();
});

it('what is ready keeps the order in which it was stored, whatever comes back', () => {
  const list = new ReadyList<{ entry: { seq: number } }>();
  const items = Array.from({ length: 5000 }, (_, seq) => ({ entry: { seq } }));
  for (const item of items) list.add(item);
  const out: number[] = [];
  const back: typeof items = [];
  for (let i = 0; list.first; i++) {
    const { first } = list;
    list.shift();
    if (i % 7 === 3 && !back.includes(first)) {
      back.push(first);
      list.add(first);
    } else out.push(first.entry.seq);
  }
  expect(out).toEqual(items.map(({ entry }) => entry.seq));
  const [a, b, c] = items as [(typeof items)[0], (typeof items)[0], (typeof items)[0]];
  for (const item of [b, c, a]) list.add(item);
  list.remove(b);
  expect(list.first).toBe(a);
});
