import { ALL_LEAVES, type CoalescingLeaves } from '@mcpl-bridges/protocol';
import { describe, expect, it } from 'vitest';
import { chooseRoute, type Route, type RouteFacts } from './lane.js';
import type { Action } from './occurrence.js';

const INCOMING: Route = { kind: 'incoming', coalesce: true };
const PLAIN_INCOMING: Route = { kind: 'incoming', coalesce: false };
const CHANNEL_PUSH: Route = { kind: 'channel-push' };
const PUSH: Route = { kind: 'ordinary-push' };

const without = (...names: (keyof CoalescingLeaves)[]): CoalescingLeaves => ({
  ...ALL_LEAVES,
  ...Object.fromEntries(names.map((name) => [name, false])),
});

const EVERYTHING = {
  notifies: false,
  open: true,
  registered: true,
  leaves: ALL_LEAVES,
  pushGranted: true,
  incomingGranted: true,
};

const route = ({ action, ...facts }: Partial<RouteFacts> & { action: Action; open: boolean }): Route =>
  chooseRoute({ kind: 'message', action }, { ...EVERYTHING, ...facts });

describe.each<
  [string, CoalescingLeaves | undefined, { create: Route; closedCreate: Route; edit: Route; closedEdit: Route }]
>([
  [
    'everything',
    ALL_LEAVES,
    { create: INCOMING, closedCreate: CHANNEL_PUSH, edit: CHANNEL_PUSH, closedEdit: CHANNEL_PUSH },
  ],
  [
    'no channelScopedPush',
    without('channelScopedPush'),
    { create: INCOMING, closedCreate: PUSH, edit: INCOMING, closedEdit: PUSH },
  ],
  [
    'no channelsIncoming',
    without('channelsIncoming'),
    { create: PLAIN_INCOMING, closedCreate: CHANNEL_PUSH, edit: CHANNEL_PUSH, closedEdit: CHANNEL_PUSH },
  ],
  ['no pushEvents', without('pushEvents'), { create: INCOMING, closedCreate: PUSH, edit: INCOMING, closedEdit: PUSH }],
  [
    'no deferred',
    without('deferred'),
    { create: INCOMING, closedCreate: CHANNEL_PUSH, edit: CHANNEL_PUSH, closedEdit: CHANNEL_PUSH },
  ],
  ['no eventCoalescing', undefined, { create: PLAIN_INCOMING, closedCreate: PUSH, edit: PUSH, closedEdit: PUSH }],
])('a host that offers %s gets', (_what, leaves, want) => {
  it('creates of an open channel', () => expect(route({ action: 'create', open: true, leaves })).toEqual(want.create));
  it('creates of a closed channel', () =>
    expect(route({ action: 'create', open: false, leaves })).toEqual(want.closedCreate));
  it.each(['edit', 'delete'] as const)('%ss of an open channel', (action) =>
    expect(route({ action, open: true, leaves })).toEqual(want.edit),
  );
  it.each(['edit', 'delete'] as const)('%ss of a closed channel', (action) =>
    expect(route({ action, open: false, leaves })).toEqual(want.closedEdit),
  );
});

describe('a host that grants less', () => {
  it('gets ordinary pushes where incoming is denied or the channel is not registered', () => {
    expect(route({ action: 'create', open: true, incomingGranted: false })).toEqual(PUSH);
    expect(route({ action: 'edit', open: true, registered: false })).toEqual(PUSH);
  });
  it('gets messages where pushes are denied', () => {
    expect(route({ action: 'edit', open: true, pushGranted: false })).toEqual(INCOMING);
    expect(route({ action: 'edit', open: true, pushGranted: false, leaves: undefined })).toEqual(PLAIN_INCOMING);
  });
  it('is waited for where nothing can carry an occurrence', () => {
    expect(route({ action: 'create', open: false, pushGranted: false })).toEqual({
      kind: 'held',
      missing: 'pushEvents',
    });
  });
});

describe('a subject without a message', () => {
  const place = (facts: Partial<RouteFacts>, inChannel = true) =>
    (['state', 'notice'] as const).map(
      (kind) =>
        chooseRoute(kind === 'state' ? { kind, action: 'set', inChannel, isEmpty: false } : { kind, inChannel }, {
          ...EVERYTHING,
          ...facts,
        }).kind,
    );

  it.each<[string, Partial<RouteFacts>, string]>([
    ['everything', {}, 'channel-push'],
    ['no channelScopedPush', { leaves: without('channelScopedPush') }, 'set-push'],
    ['no deferred', { leaves: without('deferred') }, 'channel-push'],
    ['no channelsIncoming', { leaves: without('channelsIncoming') }, 'channel-push'],
    ['no pushEvents', { leaves: without('pushEvents') }, 'ordinary-push'],
    ['no eventCoalescing', { leaves: undefined }, 'ordinary-push'],
    ['no grant for the channel', { incomingGranted: false }, 'set-push'],
    ['no grant to push', { pushGranted: false }, 'held'],
  ])('travels to a host that offers %s', (_what, facts, want) => {
    expect(place(facts)).toEqual([want, want]);
  });

  it('lives in its feature set where it belongs to no channel', () => {
    expect(place({}, false)).toEqual(['set-push', 'set-push']);
  });

  it('is not withdrawn without a word where it was never coalesced', () => {
    const withdraw = (isEmpty: boolean) =>
      chooseRoute(
        { kind: 'state', action: 'withdraw', inChannel: false, isEmpty },
        { ...EVERYTHING, leaves: undefined },
      );
    expect([withdraw(true).kind, withdraw(false).kind]).toEqual(['needless', 'ordinary-push']);
  });

  it('is a notification to a host without MCPL that takes those', () => {
    const facts = { ...EVERYTHING, notifies: true, leaves: undefined, pushGranted: false, incomingGranted: false };
    expect(place(facts)).toEqual(['channel-notification', 'channel-notification']);
    expect(chooseRoute({ kind: 'message', action: 'delete' }, facts).kind).toBe('channel-notification');
    expect(chooseRoute({ kind: 'event' }, facts).kind).toBe('channel-notification');
    const silently = { kind: 'state', action: 'withdraw', inChannel: true, isEmpty: true } as const;
    expect(chooseRoute(silently, facts).kind).toBe('needless');
  });

  it('events are pushed', () => {
    expect(chooseRoute({ kind: 'event' }, EVERYTHING)).toEqual({ kind: 'ordinary-push' });
    expect(chooseRoute({ kind: 'event' }, { ...EVERYTHING, pushGranted: false }).kind).toBe('held');
  });
});
