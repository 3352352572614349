import { ALL_LEAVES, type CoalescingLeaves } from '@mcpl-bridges/protocol';
import { describe, expect, it } from 'vitest';
import { chooseRoute, type Route, type RouteFacts } from './lane.js';

const INCOMING: Route = { kind: 'incoming', coalesce: true };
const PLAIN_INCOMING: Route = { kind: 'incoming', coalesce: false };
const CHANNEL_PUSH: Route = { kind: 'channel-push' };
const PUSH: Route = { kind: 'ordinary-push' };

const without = (...names: (keyof CoalescingLeaves)[]): CoalescingLeaves => ({
  ...ALL_LEAVES,
  ...Object.fromEntries(names.map((name) => [name, false])),
});

const route = (facts: Partial<RouteFacts> & Pick<RouteFacts, 'action' | 'open'>): Route =>
  chooseRoute({ registered: true, leaves: ALL_LEAVES, pushGranted: true, incomingGranted: true, ...facts });

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
