import {
  CASES,
  type HostCommand,
  type HostDriver,
  type HostSetup,
  type Observed,
  type RunningHost,
  runCase,
} from '@mcpl-bridges/conformance';
import { ALL_LEAVES } from '@mcpl-bridges/protocol';
import { processDriver } from 'mcpl-host/conformance';
import { describe, expect, it } from 'vitest';

const honest = processDriver('strict');

/** A host that gets one thing wrong. */
const sabotaged = (wrong: (setup: HostSetup) => HostSetup, ignores: readonly HostCommand['op'][] = []): HostDriver => ({
  ...honest,
  start: async (setup: HostSetup, observed: Observed): Promise<RunningHost> => {
    const host = await honest.start(wrong(setup), observed);
    const run = <T>(command: HostCommand): Promise<T> =>
      ignores.includes(command.op) ? Promise.resolve(null as T) : host.run<T>(command);
    return { run, kill: () => host.kill(), stop: () => host.stop() };
  },
});

let processes = 0;

/** What a host may get wrong, and cases that must see it. */
const SABOTAGE: readonly (readonly [string, HostDriver, readonly string[]])[] = [
  [
    'appends everything',
    sabotaged((setup) => ({ ...setup, profile: 'append-only' })),
    ['1', '2', '8', '10', '12', '16', '20', '27c', '28', '30', '35', '37', '45', '46', '49'],
  ],
  [
    'forgets at every restart',
    sabotaged((setup) => ({ ...setup, stateDir: `${setup.stateDir}-${processes++}` })),
    ['7', '40', '47', '48'],
  ],
  ['offers what it was told not to', sabotaged((setup) => ({ ...setup, leaves: {} })), ['15']],
  ['never narrows a grant', sabotaged((setup) => setup, ['policy']), ['13', '24']],
  ['shows everything to everybody', sabotaged((setup) => setup, ['audience']), ['12']],
  ['knows no limit', sabotaged((setup) => ({ ...setup, maxSubjects: undefined })), ['34c']],
  ['keeps unread work replaceable where it should not', sabotaged((setup) => ({ ...setup, sealed: false })), ['7']],
  ['decides for all contexts at once', sabotaged((setup) => ({ ...setup, profile: 'conservative' })), ['46']],
  [
    'puts a subject off for as long as it changes',
    sabotaged((setup) => ({ ...setup, wake: setup.wake?.map((rule) => ({ ...rule, boundMs: 60_000 })) })),
    ['36'],
  ],
  [
    'wakes for everything',
    sabotaged((setup) => ({ ...setup, wake: setup.wake?.map((rule) => ({ ...rule, tag: '*' })) })),
    ['43'],
  ],
  ['does not summarise', sabotaged((setup) => setup, ['compress']), ['5']],
  ['does not materialise', sabotaged((setup) => setup, ['materialize']), ['23', '27e']],
];

describe('the cases see a host that', () => {
  it.each(SABOTAGE)(
    '%s',
    async (_what, driver, ids) => {
      for (const id of ids) {
        const found = CASES.find((one) => one.id === id);
        if (!found) throw new Error(`there is no case ${id}`);
        expect([id, (await runCase(found, driver, ALL_LEAVES)).verdict]).toEqual([id, 'fail']);
      }
    },
    120_000,
  );
});

it('there are 65 of them, and none passes on a host that offers nothing to exercise', async () => {
  expect(CASES).toHaveLength(65);
  expect(new Set(CASES.map(({ id }) => id)).size).toBe(65);
  const results = await Promise.all(
    CASES.filter(({ needs }) => needs.length > 0).map((one) => runCase(one, honest, undefined)),
  );
  expect(results.every(({ verdict }) => verdict === 'unexercised')).toBe(true);
});
