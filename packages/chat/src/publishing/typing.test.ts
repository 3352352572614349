import { expect, it } from 'vitest';
import { TypingIndicator } from './typing.js';

const clockwork = () => {
  let now = 0;
  const timers: { at: number; action: () => void }[] = [];
  const shown: number[] = [];
  const typing = new TypingIndicator({
    show: async () => void shown.push(now),
    time: {
      monotonic: () => now,
      after: (ms, action) => {
        const timer = { at: now + ms, action };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    },
  });
  const pass = (ms: number) => {
    const end = now + ms;
    for (;;) {
      const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      timers.splice(timers.indexOf(next), 1);
      now = next.at;
      next.action();
    }
    now = end;
  };
  return { typing, shown, pass };
};

it('typing is shown for as long as the model goes on, and not after it has stopped', () => {
  const { typing, shown, pass } = clockwork();
  typing.start('c');
  pass(10_000);
  typing.start('c');
  pass(10_000);
  typing.stop('c');
  pass(60_000);
  expect(shown).toEqual([0, 8000, 16_000]);
});

it('a model that says no more types no longer than two minutes', () => {
  const { typing, shown, pass } = clockwork();
  typing.start('c');
  pass(600_000);
  expect(shown.at(-1)).toBeLessThan(120_000);
  typing.start('c');
  expect(shown.at(-1)).toBe(600_000);
});
