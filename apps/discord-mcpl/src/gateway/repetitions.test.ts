import { expect, it } from 'vitest';
import { Repetitions } from './repetitions.js';

it('a dispatch that comes twice is known by its number, the beginning of a session by its name', () => {
  const repetitions = new Repetitions();
  const ready = (session_id: string) => ({ t: 'READY', s: 1, d: { session_id } });
  const at = (s: number) => ({ t: 'TYPING_START', s, d: {} });
  const seen = [ready('a'), at(2), at(3), at(2), ready('a'), at(3), at(4), ready('b'), at(2)];
  expect(seen.map((one) => repetitions.isOne(one, 0))).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(repetitions.isOne(at(2), 1)).toBe(false);
});
