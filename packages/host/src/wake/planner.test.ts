import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WakePlanner } from './planner.js';
import { chooseBehavior, type WakePolicy } from './rules.js';

const QUIET = { kind: 'debounce', ms: 100, maxMs: 400 } as const;
const NOW = { kind: 'immediate' } as const;
const SKIP = { kind: 'skip' } as const;

describe('rules', () => {
  const policy: WakePolicy = {
    rules: [
      { match: { tagsAny: ['chat:addressed'], tagsNone: ['chat:from-bot'] }, behavior: NOW },
      { match: { tagsAll: ['chat:*', 'doc:edit'] }, behavior: QUIET },
      { match: { source: ['discord'], channel: ['discord:1:*'] }, behavior: { kind: 'throttle', perMs: 10 } },
    ],
    otherwise: SKIP,
  };
  it.each([
    [['chat:addressed'], 'x', undefined, 0],
    [['chat:addressed', 'chat:from-bot'], 'x', undefined, -1],
    [['chat:group', 'doc:edit'], 'x', undefined, 1],
    [['doc:edit'], 'x', undefined, -1],
    [[], 'discord', 'discord:1:5', 2],
    [[], 'discord', 'discord:2:5', -1],
    [[], 'portal', 'discord:1:5', -1],
  ])('%j from %s in %s: rule %i', (tags, source, channelId, rule) => {
    expect(chooseBehavior(policy, { tags, source, channelId }).rule).toBe(rule);
  });
});

describe('the plan of inferences', () => {
  it('36: a subject that never rests is due at its bound', () => {
    const planner = new WakePlanner();
    for (let now = 0; now <= 1000; now += 40) {
      planner.note('A', 'subject', QUIET, now);
      expect(planner.nextDue()?.at).toBeLessThanOrEqual(400);
    }
  });

  it('43: replaced by what does not qualify, or taken back unread, it starts nothing', () => {
    const planner = new WakePlanner();
    planner.note('A', 'subject', QUIET, 0);
    planner.note('A', 'subject', SKIP, 10);
    expect(planner.nextDue()).toBeUndefined();
    planner.note('A', 'subject', QUIET, 20);
    planner.withdraw('A', 'subject');
    expect(planner.nextDue()).toBeUndefined();
    planner.note('A', 'subject', SKIP, 30);
    planner.note('A', 'subject', QUIET, 40);
    expect(planner.nextDue()).toEqual({ context: 'A', at: 140 });
  });

  it('44: leaves the deadline of everything else where it was', () => {
    const planner = new WakePlanner();
    planner.note('A', 'ordinary', { kind: 'debounce', ms: 900, maxMs: 900 }, 0);
    for (let now = 0; now < 400; now += 40) planner.note('A', 'subject', QUIET, now);
    planner.withdraw('A', 'subject');
    expect(planner.nextDue()).toEqual({ context: 'A', at: 900 });
  });

  it('starts for what is due, says why, and leaves the rest and other contexts their time', () => {
    const planner = new WakePlanner();
    planner.note('A', 'one', NOW, 0);
    planner.note('A', 'two', QUIET, 0);
    planner.note('B', 'one', QUIET, 50);
    expect(planner.start('A', 1)).toEqual([{ cause: 'one', reason: 'quiet' }]);
    expect(planner.nextDue()).toEqual({ context: 'A', at: 100 });
    expect(planner.start('A', 100)).toEqual([{ cause: 'two', reason: 'quiet' }]);
    expect(planner.nextDue()).toEqual({ context: 'B', at: 150 });
    for (let now = 60; now < 450; now += 60) planner.note('B', 'one', QUIET, now);
    expect(planner.start('B', 450)).toEqual([{ cause: 'one', reason: 'bound' }]);
  });

  it('throttles after an inference, not before the first', () => {
    const planner = new WakePlanner();
    const slow = { kind: 'throttle', perMs: 1000 } as const;
    planner.note('A', 'one', slow, 5);
    expect(planner.nextDue()?.at).toBe(5);
    planner.start('A', 5);
    planner.note('A', 'one', slow, 10);
    planner.note('A', 'one', slow, 500);
    expect(planner.nextDue()?.at).toBe(1005);
  });

  it('whatever comes when, is never more than its bound behind', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 50 }), (gaps) => {
        const planner = new WakePlanner();
        let now = 0;
        let first: number | undefined;
        for (const gap of gaps) {
          now += gap;
          const next = planner.nextDue();
          if (next && next.at <= now) {
            expect(next.at).toBeLessThanOrEqual((first ?? 0) + 400);
            planner.start('A', next.at);
            first = undefined;
          }
          first ??= now;
          planner.note('A', 'subject', QUIET, now);
        }
      }),
    );
  });
});
