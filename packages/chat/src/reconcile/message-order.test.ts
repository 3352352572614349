import { expect, it } from 'vitest';
import { isNewer } from './message-order.js';

it.each([
  ['10', '9', true],
  ['9', '10', false],
  ['9', '9', false],
  ['1', '', true],
  ['', '', false],
  ['rm_5_10', 'rm_5_9', true],
  ['rm_5_10', 'rm_77777_9', true],
  ['rm_5_10', '', true],
  ['rm_5_10', '11', false],
])('%s is newer than %s: %s', (id, than, expected) => {
  expect(isNewer(id, than)).toBe(expected);
});
