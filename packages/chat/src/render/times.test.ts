import { expect, it } from 'vitest';
import { isTimeZone, TIMESTAMP_STYLES, timeTeller } from './times.js';

const INSTANT = '2026-01-15T12:34:56.789012Z';

it('instants are written in the zone and the style that is asked for', () => {
  expect(TIMESTAMP_STYLES.map((style) => timeTeller('America/Los_Angeles', style)(INSTANT))).toEqual([
    '2026-01-15 04:34 America/Los_Angeles',
    '2026-01-15T04:34:56-08:00 [America/Los_Angeles]',
    '2026-01-15 04:34',
    '04:34',
    '',
  ]);
  expect(timeTeller()(INSTANT)).toBe('2026-01-15 12:34 UTC');
  expect(timeTeller('UTC', 'full')(INSTANT)).toBe('2026-01-15T12:34:56+00:00 [UTC]');
  expect([isTimeZone('Europe/Berlin'), isTimeZone('Berlin')]).toEqual([true, false]);
});
