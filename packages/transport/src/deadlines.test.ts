import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Deadlines } from './deadlines.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const setUp = () => {
  const open = new Set<string>();
  const expired: string[] = [];
  const deadlines = new Deadlines(
    (id) => open.has(id),
    (id, afterMs) => {
      open.delete(id);
      expired.push(`${id} after ${afterMs}`);
    },
  );
  const add = (id: string, afterMs: number) => {
    open.add(id);
    deadlines.add(id, afterMs);
  };
  return { deadlines, add, settle: (id: string) => open.delete(id), expired };
};

it('each request has its own time, and what was settled has none', () => {
  const { add, settle, expired } = setUp();
  add('a', 1000);
  vi.advanceTimersByTime(400);
  add('b', 1000);
  add('c', 200);
  add('d', 1000);
  settle('b');
  vi.advanceTimersByTime(250);
  expect(expired).toEqual(['c after 200']);
  vi.advanceTimersByTime(350);
  expect(expired).toEqual(['c after 200', 'a after 1000']);
  vi.advanceTimersByTime(400);
  expect(expired).toEqual(['c after 200', 'a after 1000', 'd after 1000']);
});

it('a hundred thousand requests under one deadline take one timer', () => {
  const { add, settle, expired, deadlines } = setUp();
  for (let i = 0; i < 100_000; i++) {
    add(`r${i}`, 60_000);
    if (i >= 256) settle(`r${i - 256}`);
  }
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(61_000);
  expect(expired).toHaveLength(256);
  deadlines.clear();
  expect(vi.getTimerCount()).toBe(0);
});
