import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Signal, Status } from './signal.js';
import { PresenceTracker } from './tracker.js';

const scope = 'home';
const channelId = 'general';

const everybody = (): boolean => true;

const tracked = (limits = {}) => {
  const tracker = new PresenceTracker(limits);
  tracker.tell({ kind: 'census', scope, statuses: [] }, 0);
  const look = (at: Partial<Parameters<PresenceTracker['look']>[0]> = {}) => {
    const { present, typing } = tracker.look({ channelId, scope, selfId: undefined, isMember: everybody, ...at });
    return { present: [...present].sort(), typing: [...typing].sort() };
  };
  const status = (userId: string, status: Status, now: number) =>
    tracker.tell({ kind: 'status', scope, userId, status }, now);
  return { tracker, look, status };
};

describe('who is in a channel', () => {
  it('is who is online, ten seconds beyond, and nobody else', () => {
    const { tracker, look, status } = tracked();
    status('alice', 'online', 0);
    status('bob', 'idle', 0);
    status('alice', 'offline', 1000);
    tracker.expire(10_999);
    expect(look().present).toEqual(['alice', 'bob']);
    tracker.expire(11_000);
    expect(look().present).toEqual(['bob']);
  });

  it('is whoever comes back within those ten seconds all the time', () => {
    const { tracker, look, status } = tracked();
    status('alice', 'online', 0);
    status('alice', 'offline', 1000);
    status('alice', 'dnd', 9000);
    tracker.expire(60_000);
    expect(look().present).toEqual(['alice']);
  });

  it('is whoever types, however invisible, until ten seconds after the last sign of it', () => {
    const { tracker, look } = tracked();
    tracker.tell({ kind: 'typing', channelId, userId: 'ghost' }, 0);
    tracker.tell({ kind: 'typing', channelId, userId: 'ghost' }, 8000);
    tracker.expire(17_999);
    expect(look()).toEqual({ present: ['ghost'], typing: ['ghost'] });
    tracker.expire(18_000);
    expect(look()).toEqual({ present: [], typing: [] });
  });

  it('types no more once the message is there', () => {
    const { tracker, look, status } = tracked();
    status('alice', 'online', 0);
    tracker.tell({ kind: 'typing', channelId, userId: 'alice' }, 0);
    tracker.tell({ kind: 'spoke', channelId, userId: 'alice' }, 500);
    expect(look()).toEqual({ present: ['alice'], typing: [] });
  });

  it('is who talks in it by voice', () => {
    const { tracker, look } = tracked();
    tracker.tell({ kind: 'voice', scope, userId: 'cara', channelId }, 0);
    expect(look().present).toEqual(['cara']);
    expect(look({ channelId: 'elsewhere' }).present).toEqual([]);
    tracker.tell({ kind: 'voice', scope, userId: 'cara', channelId: 'elsewhere' }, 0);
    expect(look().present).toEqual([]);
    tracker.tell({ kind: 'voice', scope, userId: 'cara' }, 0);
    expect(look({ channelId: 'elsewhere' }).present).toEqual([]);
  });

  it('is in a thread only who has joined it and is online', () => {
    const { tracker, look, status } = tracked();
    for (const userId of ['alice', 'bob']) status(userId, 'online', 0);
    tracker.tell({ kind: 'thread-members', channelId, joined: ['alice', 'cara'], left: [] }, 0);
    expect(look().present).toEqual(['alice']);
    tracker.tell({ kind: 'thread-members', channelId, joined: ['bob'], left: ['alice'] }, 0);
    expect(look().present).toEqual(['bob']);
    tracker.tell({ kind: 'thread-census', channelId, members: ['alice'] }, 0);
    expect(look().present).toEqual(['alice']);
  });

  it('is, where no statuses are told, the agent and who has spoken lately', () => {
    const tracker = new PresenceTracker({ speakingMs: 60_000 });
    tracker.tell({ kind: 'census', scope }, 0);
    tracker.tell({ kind: 'spoke', channelId, userId: 'alice' }, 0);
    const look = () => tracker.look({ channelId, scope, selfId: 'agent', isMember: everybody }).present;
    expect(look()).toEqual(['agent', 'alice']);
    tracker.expire(60_000);
    expect(look()).toEqual(['agent']);
  });

  it('is nobody who may not see it', () => {
    const { tracker, look, status } = tracked();
    status('alice', 'online', 0);
    tracker.tell({ kind: 'typing', channelId, userId: 'mallory' }, 0);
    tracker.tell({ kind: 'voice', scope, userId: 'mallory', channelId }, 0);
    expect(look({ isMember: (id) => id === 'alice', selfId: 'agent' })).toEqual({ present: ['alice'], typing: [] });
  });

  it('is, where there are too many, who does something there', () => {
    const { tracker, look, status } = tracked({ most: 4 });
    for (let n = 0; n < 10; n++) status(`user-${n}`, 'online', 0);
    tracker.tell({ kind: 'spoke', channelId, userId: 'user-3' }, 0);
    tracker.tell({ kind: 'typing', channelId, userId: 'user-4' }, 0);
    tracker.tell({ kind: 'voice', scope, userId: 'user-5', channelId }, 0);
    expect(look()).toEqual({ present: ['user-3', 'user-4', 'user-5'], typing: ['user-4'] });
  });

  it('is unknown, and so nobody, when the connection has been gone for ten seconds', () => {
    const { tracker, look, status } = tracked();
    status('alice', 'online', 0);
    tracker.tell({ kind: 'lost', scope }, 0);
    tracker.expire(9_999);
    expect(look().present).toEqual(['alice']);
    tracker.expire(10_000);
    expect(look().present).toEqual([]);
    expect(tracker.sightOf(scope)).toBe('lost');
    tracker.tell({ kind: 'back', scope }, 12_000);
    expect(look().present).toEqual(['alice']);
  });

  it('is what a new session says, and not what an earlier one did', () => {
    const { tracker, look, status } = tracked();
    status('alice', 'online', 0);
    tracker.tell({ kind: 'voice', scope, userId: 'bob', channelId }, 0);
    tracker.tell(
      {
        kind: 'census',
        scope,
        statuses: [
          ['cara', 'idle'],
          ['dan', 'offline'],
        ],
      },
      0,
    );
    expect(look().present).toEqual(['cara']);
  });
});

describe('what changes nothing', () => {
  it('touches nothing', () => {
    const { tracker, status } = tracked();
    expect(status('alice', 'online', 0)).toBeDefined();
    expect(status('alice', 'online', 1)).toBeUndefined();
    expect(status('bob', 'offline', 1)).toBeUndefined();
    tracker.tell({ kind: 'typing', channelId, userId: 'alice' }, 0);
    expect(tracker.tell({ kind: 'typing', channelId, userId: 'alice' }, 1)).toBeUndefined();
    expect(tracker.tell({ kind: 'voice', scope, userId: 'alice' }, 1)).toBeUndefined();
  });
});

describe('what time leaves', () => {
  const user = fc.constantFrom('alice', 'bob', 'cara');
  const place = fc.constantFrom('general', 'random');
  const signal: fc.Arbitrary<Signal> = fc.oneof(
    fc.record({
      kind: fc.constant('status' as const),
      scope: fc.constant(scope),
      userId: user,
      status: fc.constantFrom<Status>('online', 'idle', 'dnd', 'offline'),
    }),
    fc.record({ kind: fc.constant('typing' as const), channelId: place, userId: user }),
    fc.record({ kind: fc.constant('spoke' as const), channelId: place, userId: user }),
    fc.record({ kind: fc.constant('gone' as const), scope: fc.constant(scope), userId: user }),
  );

  it('is always what the last words about each say, whatever was said before', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(signal, fc.nat(6000)), { maxLength: 60 }), (steps) => {
        const { tracker, look } = tracked({ speakingMs: 20_000 });
        let now = 0;
        const status = new Map<string, { status: Status; at: number }>();
        const typed = new Map<string, number>();
        for (const [one, pause] of steps) {
          now += pause;
          tracker.expire(now);
          tracker.tell(one, now);
          if (one.kind === 'status' && (status.get(one.userId)?.status ?? 'offline') !== one.status)
            status.set(one.userId, { status: one.status, at: now });
          if (one.kind === 'gone') status.delete(one.userId);
          if (one.kind === 'typing') typed.set(`${one.channelId} ${one.userId}`, now);
          if (one.kind === 'spoke') typed.delete(`${one.channelId} ${one.userId}`);
          const typing = ['alice', 'bob', 'cara'].filter((id) => now - (typed.get(`general ${id}`) ?? -1e9) < 10_000);
          const here = [...status].filter(([, { status, at }]) => status !== 'offline' || now - at < 10_000);
          const present = [...new Set([...here.map(([id]) => id), ...typing])].sort();
          expect(look()).toEqual({ present, typing });
        }
      }),
    );
  });
});
