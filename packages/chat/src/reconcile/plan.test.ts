import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../message.js';
import { isNewer } from './message-order.js';
import { planReconciliation } from './plan.js';

const message = (n: number): ChatMessage => ({ messageId: String(n) }) as ChatMessage;
const AT = '2026-01-01T00:00:00.000Z';

const plan = (
  standing: number[],
  { isWhole = false, first = 0, newest = 0, announced = [] as number[], known = [] as number[] },
) => {
  const record = { first: String(first), newest: String(newest), announced: announced.length };
  const isKnown = (id: string) => known.includes(Number(id));
  const { events, gap } = planReconciliation(
    { channelId: 'c' },
    { messages: standing.map(message), isWhole },
    record,
    announced.map(String),
    isKnown,
    AT,
  );
  const told = events.map((event) =>
    event.kind === 'deleted' ? `deleted ${event.messageIds.join(' ')}` : `${event.kind} ${event.message.messageId}`,
  );
  return { told, gap };
};

describe('what happened while nobody listened', () => {
  it('is new behind what is known, and perhaps an edit before it', () => {
    const { told, gap } = plan([98, 99, 100, 101], { newest: 99, known: [98, 99], announced: [98, 99] });
    expect(told).toEqual(['updated 98', 'updated 99', 'created 100', 'created 101']);
    expect(gap).toBeUndefined();
  });

  it('is new in a hole of what is known, and no news from before anybody looked', () => {
    expect(plan([8, 9, 10, 11, 12], { first: 9, newest: 12, known: [10, 12] }).told).toEqual([
      'updated 8',
      'updated 9',
      'updated 10',
      'created 11',
      'updated 12',
    ]);
  });

  it('is a deletion where what was announced stands there no more, as far back as one has looked', () => {
    const announced = [5, 10, 12, 100];
    expect(plan([10, 11, 13], { newest: 100, announced, known: [10, 11, 13] }).told.at(-1)).toBe('deleted 12 100');
    expect(plan([10, 11], { newest: 100, announced, known: [10, 11], isWhole: true }).told.at(-1)).toBe(
      'deleted 5 12 100',
    );
    expect(plan([], { newest: 100, announced, isWhole: true }).told).toEqual(['deleted 5 10 12 100']);
    expect(plan([], { newest: 100, announced }).told).toEqual([]);
  });

  it('has a gap only where one has not looked back to what is known', () => {
    expect(plan([20, 21], { newest: 10 }).gap).toEqual({ after: '10', before: message(20) });
    expect(plan([], { newest: 10 }).gap).toEqual({ after: '10', before: undefined });
    expect(plan([20, 21], { newest: 10, isWhole: true }).gap).toBeUndefined();
    expect(plan([9, 21], { newest: 10 }).gap).toBeUndefined();
  });
});

it('ids are compared as numbers', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n }), fc.bigInt({ min: 0n, max: 2n ** 64n }), (a, b) => {
      expect(isNewer(String(a), String(b))).toBe(a > b);
      expect(isNewer(String(a), '')).toBe(true);
    }),
  );
});
