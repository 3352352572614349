import { describe, expect, it } from 'vitest';
import { HandClock, Room, SCOPE } from '../room.testkit.js';

const watched = (debounceMs = 2000) => {
  const clock = new HandClock();
  const room = new Room({ time: clock, debounceMs }).open('general', 'agent', 'alice', 'bob', 'cara');
  room.online('agent', 'alice');
  const seen: string[] = [];
  const stop = room.feed.watch('general', () => seen.push([...room.feed.told('general').present].sort().join(' ')));
  return { clock, room, seen, stop };
};

describe('what watchers are told', () => {
  it('is a channel as it is at the end of an interval: what came and went in it was not there', () => {
    const { clock, room, seen } = watched();
    room.tell({ kind: 'typing', channelId: 'general', userId: 'cara' });
    clock.pass(500);
    room.tell({ kind: 'spoke', channelId: 'general', userId: 'cara' });
    room.tell({ kind: 'status', scope: SCOPE, userId: 'bob', status: 'online' });
    clock.pass(1499);
    expect(seen).toEqual([]);
    clock.pass(1);
    expect(seen).toEqual(['agent alice bob']);
  });

  it('is told once an interval under a change each moment', () => {
    const { clock, room, seen } = watched();
    for (let n = 0; n < 1000; n++) {
      room.tell({ kind: 'status', scope: SCOPE, userId: 'bob', status: n % 2 ? 'idle' : 'online' });
      clock.pass(10);
    }
    expect(seen).toHaveLength(5);
  });

  it('ends when the watcher does', () => {
    const { clock, room, seen, stop } = watched();
    room.tell({ kind: 'status', scope: SCOPE, userId: 'bob', status: 'online' });
    stop();
    clock.pass(10_000);
    expect(seen).toEqual([]);
  });

  it('comes of itself when time is what changes something', () => {
    const { clock, room, seen } = watched(0);
    room.tell({ kind: 'status', scope: SCOPE, userId: 'alice', status: 'offline' });
    clock.pass(9_999);
    expect(seen.at(-1)).toBe('agent alice');
    clock.pass(1);
    expect(seen.at(-1)).toBe('agent');
  });

  it('never names who has lost the right to be seen, though the interval is not over', () => {
    const { clock, room } = watched();
    clock.pass(5000);
    expect(room.feed.told('general').present).toContain('alice');
    room.remove('general', 'alice');
    expect(room.feed.told('general').present).toEqual(['agent']);
  });
});
