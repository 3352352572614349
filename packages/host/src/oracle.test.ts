import fc from 'fast-check';
import { afterAll, beforeAll, it, vi } from 'vitest';
import { CONTEXTS, Duel, KEYS, POLICIES, type Step } from './duel.testkit.js';
import type { OracleOccurrence } from './oracle.testkit.js';

/** Programs in a run; `npm run soak` asks for more. */
const RUNS = Number(process.env.MCPL_ORACLE_RUNS ?? 10_000);

beforeAll(() => void vi.useFakeTimers());
afterAll(() => void vi.useRealTimers());

const kinds = fc.constantFrom<OracleOccurrence['kind']>(
  'plain',
  'plain',
  'plain',
  'retract',
  'deferred',
  'deferred',
  'deferred',
  'ordinary',
);
const rarely = fc.integer({ min: 0, max: 5 }).map((n) => n === 0);
const is = <T extends string>(what: T) => fc.constant(what);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.record({
      do: is('occur'),
      kind: kinds,
      key: fc.constantFrom(...KEYS),
      lane: fc.constantFrom('push' as const, 'incoming' as const),
      initial: fc.boolean(),
      empty: rarely,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is('retry'), back: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: is('audience'), contexts: fc.subarray([...CONTEXTS], { minLength: 1 }) }),
  },
  { weight: 8, arbitrary: fc.record({ do: is('begin'), context: fc.constantFrom(...CONTEXTS) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: is('answer'),
      which: fc.nat(3),
      how: fc.constantFrom('rendered' as const, 'rendered' as const, 'empty' as const, 'error' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is('timeout') }) },
  { weight: 3, arbitrary: fc.record({ do: is('grant'), policy: fc.constantFrom('full' as const, ...POLICIES) }) },
  { weight: 1, arbitrary: fc.record({ do: is('disconnect') }) },
  { weight: 3, arbitrary: fc.record({ do: is('reconnect') }) },
  { weight: 1, arbitrary: fc.record({ do: is('restart') }) },
);

const occur = (kind: OracleOccurrence['kind'], key: (typeof KEYS)[number]): Step => ({
  do: 'occur',
  kind,
  key,
  lane: 'push',
  initial: false,
  empty: false,
});

/** What once failed, on either side, with the interval of checkpoints and the capacity at which it did. */
const ONCE_FAILED: [Step[], number, number][] = [
  // A checkpoint gave batches back in another order than they were opened in.
  [[occur('deferred', 'K'), occur('deferred', 'L'), occur('deferred', 'K'), { do: 'restart' }], 1, 10],
  // So did the end of renders that a crash had cut off.
  [
    [
      occur('deferred', 'K'),
      occur('deferred', 'L'),
      occur('deferred', 'K'),
      { do: 'begin', context: 'A' },
      { do: 'restart' },
    ],
    1,
    10,
  ],
];

it(`the host does what the rules say, in ${RUNS} random programs`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 4 }),
      (steps, checkpointEvery, capacity) => new Duel(checkpointEvery, capacity).run(steps),
    ),
    { numRuns: RUNS, examples: ONCE_FAILED },
  );
}, 3_600_000);
