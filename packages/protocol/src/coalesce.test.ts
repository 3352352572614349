import { describe, expect, it } from 'vitest';
import { ALL_LEAVES, type CoalescingLeaves, checkCoalesce, type Lane, readCoalescingAdvert } from './coalesce.js';

const field = (
  raw: unknown,
  lane: Lane = 'push/event',
  leaves: CoalescingLeaves = ALL_LEAVES,
  eventId: unknown = 'e',
) => checkCoalesce(raw, lane, leaves, eventId)?.field;

describe('a coalesce member', () => {
  it.each([
    ['a key of 256 bytes', { key: 'k'.repeat(256) }, undefined],
    ['a key of 257 bytes', { key: 'k'.repeat(257) }, 'coalesce.key'],
    ['a key of 86 characters and 258 bytes', { key: '€'.repeat(86) }, 'coalesce.key'],
    ['a key of 85 characters and 255 bytes', { key: '€'.repeat(85) }, undefined],
    ['an empty key', { key: '' }, 'coalesce.key'],
    ['no key', {}, 'coalesce.key'],
    ['no object', 'K', 'coalesce'],
    ['a key that is a number', { key: 1 }, 'coalesce.key'],
    ['retract with deferred', { key: 'K', retract: true, deferred: true }, 'coalesce.retract'],
    ['retract with initial', { key: 'K', retract: true, initial: true }, 'coalesce.initial'],
    ['data without deferred', { key: 'K', data: 1 }, 'coalesce.data'],
    ['data of 4096 bytes', { key: 'K', deferred: true, data: 'x'.repeat(4094) }, undefined],
    ['data of 4097 bytes', { key: 'K', deferred: true, data: 'x'.repeat(4095) }, 'coalesce.data'],
    ['data over 4 KiB in few characters', { key: 'K', deferred: true, data: '€'.repeat(1400) }, 'coalesce.data'],
    ['a channel', { key: 'K', channelId: 'c' }, undefined],
    ['an empty channel', { key: 'K', channelId: '' }, 'coalesce.channelId'],
    ['everything plain', { key: 'K', initial: true }, undefined],
  ])('on a push: %s', (_what, raw, wrong) => {
    expect(field(raw)).toBe(wrong);
  });

  it.each([
    ['deferred', { key: 'K', deferred: true }, 'e', 'coalesce.deferred'],
    ['channelId', { key: 'K', channelId: 'c' }, 'e', 'coalesce.channelId'],
    ['retract', { key: 'K', retract: true }, 'e', undefined],
    ['initial', { key: 'K', initial: true }, 'e', undefined],
    ['no eventId', { key: 'K' }, undefined, 'eventId'],
    ['an empty eventId', { key: 'K' }, '', 'eventId'],
  ])('on an incoming message: %s', (_what, raw, eventId, wrong) => {
    expect(checkCoalesce(raw, 'channels/incoming', ALL_LEAVES, eventId)?.field).toBe(wrong);
  });

  it('may use only what the host offers', () => {
    const leaves = { ...ALL_LEAVES, deferred: false, channelScopedPush: false };
    expect(field({ key: 'K', deferred: true }, 'push/event', leaves)).toBe('coalesce.deferred');
    expect(field({ key: 'K', channelId: 'c' }, 'push/event', leaves)).toBe('coalesce.channelId');
  });

  it('has its problem explained', () => {
    expect(checkCoalesce({ key: 'k'.repeat(300) }, 'push/event', ALL_LEAVES, 'e')).toEqual({
      field: 'coalesce.key',
      reason: 'is 300 bytes, at most 256 are allowed',
    });
  });
});

describe("a host's eventCoalescing", () => {
  it('that is true offers everything for an hour', () => {
    expect(readCoalescingAdvert(true)).toEqual({ ...ALL_LEAVES, retryWindowMs: 3_600_000 });
  });
  it('offers only the leaves it sets', () => {
    expect(readCoalescingAdvert({ pushEvents: true, retryWindowMs: 7_200_000 })).toEqual({
      pushEvents: true,
      channelsIncoming: false,
      deferred: false,
      channelScopedPush: false,
      retryWindowMs: 7_200_000,
    });
  });
  it('cannot go below an hour', () => {
    expect(readCoalescingAdvert({ retryWindowMs: 5 })?.retryWindowMs).toBe(3_600_000);
  });
  it.each([undefined, false, null, 'yes', []])('that is %j makes an append-only host', (advert) => {
    expect(readCoalescingAdvert(advert)).toBeUndefined();
  });
});
