import { ALL_LEAVES } from '@mcpl-bridges/protocol';
import { RequestFailure } from '@mcpl-bridges/transport';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../log.js';
import type { Route } from '../occurrence/lane.js';
import type { Action, MessageOccurrence } from '../occurrence/occurrence.js';
import type { WireForm } from '../occurrence/wire-form.js';
import { MemoryStore } from '../store/memory-store.js';
import { ChannelQueue, type Settlement } from './channel-queue.js';
import { Flights } from './flights.js';

const occurrence = (n: number, action: Action = 'create'): MessageOccurrence => ({
  kind: 'message',
  eventId: `e${n}`,
  action,
  channelId: 'c',
  messageId: String(n),
  key: `message:${n}`,
  initial: action === 'create',
  featureSet: 'f',
  author: { id: 'u', name: 'alice' },
  timestamp: '2026-01-01T00:00:00Z',
  content: [{ type: 'text', text: `text ${n}` }],
  tags: [],
  origin: {},
});

type Answer = Record<string, unknown> | number | 'lost' | 'held';

/** A queue with a host that answers by a script, and a clock that stands until it is moved. */
const setUp = (answers: Answer[], route: Route = { kind: 'channel-push' }, inFlight = 256) => {
  let now = 0;
  const timers: { at: number; action: () => void }[] = [];
  const sent: WireForm[] = [];
  const held: ((answer: Record<string, unknown>) => void)[] = [];
  let length = 0;
  let epoch = 1;
  const store = new MemoryStore({ monotonic: () => now });
  const queue = new ChannelQueue({
    store,
    log: silentLog,
    flights: new Flights(inFlight),
    onLength: (change) => {
      length += change;
    },
    random: () => 0.999_999,
    time: {
      monotonic: () => now,
      after: (ms, action) => {
        const timer = { at: now + ms, action };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    },
    sender: {
      route: () => route,
      policyEpoch: () => epoch,
      retryWindowMs: () => 3_600_000,
      leaves: () => ALL_LEAVES,
      registerAgain: async () => {},
      send: async (wire) => {
        sent.push(wire);
        const answer = answers.shift() ?? { accepted: true };
        if (answer === 'held') return new Promise((resolve) => held.push(resolve));
        if (answer === 'lost') throw new RequestFailure(wire.method, { kind: 'timeout', afterMs: 1 });
        if (typeof answer !== 'number') return answer;
        throw new RequestFailure(wire.method, { kind: 'refused', error: { code: answer, message: 'no' } });
      },
    },
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const add = async (one: MessageOccurrence) => {
    let settlement: Settlement | undefined;
    await queue.add(one, [], (how) => {
      settlement = how;
    });
    await settle();
    return () => settlement;
  };
  const pass = async (ms: number) => {
    now += ms;
    for (const timer of timers.filter(({ at }) => at <= now)) {
      timers.splice(timers.indexOf(timer), 1);
      timer.action();
    }
    await settle();
  };
  const policy = async () => {
    epoch += 1;
    queue.wake();
    await settle();
  };
  const ids = () => sent.map(({ params }) => params.eventId);
  const release = async () => {
    held.shift()?.({ accepted: true });
    await settle();
  };
  return { queue, store, sent, ids, add, pass, policy, settle, release, length: () => length };
};

describe('a channel on its way to the host', () => {
  it('is under way many at once, in order; a subject only when what it sent before has been answered', async () => {
    const { add, ids, release, length } = setUp(['held', 'held', 'held', 'held']);
    const edit = { ...occurrence(1, 'edit'), eventId: 'e1b' };
    for (const one of [occurrence(1), occurrence(2), edit, occurrence(3)]) await add(one);
    expect(ids()).toEqual(['e1', 'e2', 'e3']);
    await release();
    expect(ids()).toEqual(['e1', 'e2', 'e3', 'e1b']);
    for (let i = 0; i < 3; i++) await release();
    expect(length()).toBe(0);
  });

  it('is under way no more at once than it may', async () => {
    const { add, ids, release } = setUp(['held', 'held', 'held'], { kind: 'channel-push' }, 2);
    for (const n of [1, 2, 3]) await add(occurrence(n));
    expect(ids()).toEqual(['e1', 'e2']);
    await release();
    expect(ids()).toEqual(['e1', 'e2', 'e3']);
  });

  it('repeats what failed before it sends what is behind', async () => {
    const { add, ids, pass, release } = setUp(['held', 'lost', 'held']);
    const third = { ...occurrence(3) };
    await add(occurrence(1));
    await add(occurrence(2));
    await add(third);
    expect(ids()).toEqual(['e1', 'e2']);
    await release();
    await pass(250);
    expect(ids()).toEqual(['e1', 'e2', 'e2', 'e3']);
  });

  it('pauses after a failure, and goes on in order', async () => {
    const { add, ids, pass } = setUp(['lost']);
    const first = await add(occurrence(1));
    await add(occurrence(2));
    expect(ids()).toEqual(['e1']);
    await pass(250);
    expect(ids()).toEqual(['e1', 'e1', 'e2']);
    expect(first()).toEqual({ kind: 'delivered' });
  });

  it('sends the same bytes again, whatever has changed meanwhile', async () => {
    const { add, sent, pass } = setUp([-32603, 'lost']);
    await add(occurrence(1));
    await pass(1000);
    await pass(1000);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map((wire) => JSON.stringify(wire))).size).toBe(1);
  });

  it('waits out its pause though more arrives', async () => {
    const { add, ids, pass } = setUp(['lost']);
    await add(occurrence(1));
    for (const n of [2, 3, 4]) await add(occurrence(n));
    expect(ids()).toEqual(['e1']);
    await pass(249);
    expect(ids()).toEqual(['e1', 'e1', 'e2', 'e3', 'e4']);
  });

  it('never asks again under a policy that refused it, whatever else happens, and asks under the next', async () => {
    const { queue, add, ids, policy, settle } = setUp([-32002]);
    await add(occurrence(1));
    await add(occurrence(2));
    queue.wake();
    await settle();
    expect(ids()).toEqual(['e1']);
    await policy();
    expect(ids()).toEqual(['e1', 'e1', 'e2']);
  });

  it('goes on behind what the host will never take', async () => {
    const { add, ids, store } = setUp([-32602]);
    const first = await add(occurrence(1));
    const second = await add(occurrence(2));
    expect(first()).toEqual({ kind: 'buried', reason: 'refused: no (-32602)' });
    expect(second()).toEqual({ kind: 'delivered' });
    expect(ids()).toEqual(['e1', 'e2']);
    expect(await store.deadLetters(9)).toMatchObject([{ occurrence: { eventId: 'e1' } }]);
  });

  it('registers once more for a channel the host does not know, then gives up', async () => {
    const { add, ids } = setUp([-32023, -32017]);
    const first = await add(occurrence(1));
    expect(ids()).toEqual(['e1', 'e1']);
    expect(first()).toEqual({ kind: 'buried', reason: 'channel_refused' });
  });

  it('stops at the deadline and lets the next one pass', async () => {
    const { add, ids, pass } = setUp(['lost']);
    const first = await add(occurrence(1));
    const second = await add(occurrence(2));
    await pass(3_570_001);
    expect(first()).toEqual({ kind: 'buried', reason: 'expired' });
    expect(second()).toEqual({ kind: 'delivered' });
    expect(ids()).toEqual(['e1', 'e2']);
  });

  it('is folded only before its first attempt', async () => {
    const { add, ids, pass, sent } = setUp(['lost']);
    await add(occurrence(1));
    const edit = { ...occurrence(1, 'edit'), eventId: 'e1b' };
    await add(edit);
    await add({ ...edit, eventId: 'e1c', content: [{ type: 'text', text: 'last' }] });
    await pass(250);
    expect(ids()).toEqual(['e1', 'e1', 'e1c']);
    expect(JSON.stringify(sent[2]?.params)).toContain('last');
  });
});

describe('what an earlier process left behind', () => {
  const restored = async (wire: WireForm, answers: Answer[] = []) => {
    const set = setUp(answers);
    const entry = await set.store.append(occurrence(1));
    await set.store.attempt(entry.seq, wire, 3_600_000);
    for (const one of await set.store.load()) set.queue.restore(one);
    set.queue.wake();
    await set.settle();
    return set;
  };

  it('is sent as it was sent before', async () => {
    const wire: WireForm = { method: 'push/event', coalesced: true, params: { eventId: 'e1', as: 'before' } };
    expect((await restored(wire)).sent).toEqual([wire]);
  });

  it('is one when it is handed over again, and takes up what follows once', async () => {
    const { queue, store, add, sent, settle } = setUp([]);
    const entry = await store.append(occurrence(1));
    queue.restore(entry);
    const again = await add(occurrence(1));
    await add({ ...occurrence(1, 'edit'), eventId: 'e1b', content: [{ type: 'text', text: 'edited' }] });
    queue.wake();
    await settle();
    expect(sent.map(({ params }) => [params.eventId, JSON.stringify(params).includes('edited')])).toEqual([
      ['e1', true],
    ]);
    expect(again()).toEqual({ kind: 'delivered' });
  });

  it('is not sent again where the host could show it twice', async () => {
    const { sent, store } = await restored({ method: 'channels/incoming', coalesced: false, params: { messages: [] } });
    expect(sent).toEqual([]);
    expect(await store.deadLetters(1)).toMatchObject([{ reason: 'outcome_unknown' }]);
  });
});
