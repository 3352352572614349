import { ALL_LEAVES, type CoalescingLeaves } from '@mcpl-bridges/protocol';
import type { Answer } from '@mcpl-bridges/transport';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../log.js';
import type { Route } from '../occurrence/lane.js';
import type { Action, MessageOccurrence, NoticeOccurrence, Occurrence } from '../occurrence/occurrence.js';
import type { WireForm } from '../occurrence/wire-form.js';
import { MemoryStore } from '../store/memory-store.js';
import { DEFAULT_OUTBOX_LIMITS, Outbox } from './outbox.js';
import type { Settlement } from './queued.js';

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

type Reply = Record<string, unknown> | number | 'lost' | 'held';

interface Sent {
  readonly method: string;
  readonly params: string;
}

/** The ids of what a request carries. */
const idsIn = ({ params }: Sent): string[] =>
  [...params.matchAll(/"eventId":"([^"]*)"/g)].map(([, id]) => id as string);

interface Setting {
  readonly route?: Route;
  readonly inFlight?: number;
  readonly maxMessages?: number;
  readonly leaves?: CoalescingLeaves;
  readonly summary?: readonly string[];
}

/** An outbox with a host that answers by a script, and a clock that stands until it is moved. */
const setUp = async (replies: Reply[], setting: Setting = {}, store?: MemoryStore) => {
  let now = 0;
  const timers: { at: number; action: () => void }[] = [];
  const sent: Sent[] = [];
  const held: ((result: Record<string, unknown>) => void)[] = [];
  const summarised: string[][] = [];
  let epoch = 1;
  let permit: 'yes' | 'wait' = 'yes';
  const kept = store ?? new MemoryStore({ monotonic: () => now });
  const reply = (params: string, answered: (answer: Answer) => void): void => {
    const one = replies.shift() ?? { accepted: true };
    const give = (result: Record<string, unknown>) => answered({ kind: 'result', result, late: false });
    if (one === 'held') held.push(give);
    else if (one === 'lost') answered({ kind: 'failed', cause: { kind: 'timeout', afterMs: 1 } });
    else if (typeof one === 'number')
      answered({ kind: 'failed', cause: { kind: 'refused', error: { code: one, message: 'no' } } });
    else give(one.accepted === true && params.startsWith('{"messages"') ? {} : one);
  };
  const outbox = new Outbox({
    store: kept,
    log: silentLog,
    limits: { ...DEFAULT_OUTBOX_LIMITS, inFlight: setting.inFlight ?? 256 },
    onHealth: () => {},
    onHighWater: () => {},
    random: () => 0.999_999,
    time: {
      monotonic: () => now,
      after: (ms, action) => {
        const timer = { at: now + ms, action };
        timers.push(timer);
        return () => {
          const at = timers.indexOf(timer);
          if (at !== -1) timers.splice(at, 1);
        };
      },
    },
    sender: {
      route: () => (permit === 'wait' ? { kind: 'wait' } : (setting.route ?? { kind: 'channel-push' })),
      permits: () => permit,
      policyEpoch: () => epoch,
      retryWindowMs: () => 3_600_000,
      maxMessages: () => setting.maxMessages ?? 64,
      leaves: () => setting.leaves ?? ALL_LEAVES,
      registerAgain: async () => {},
      summarise: async (notices) => {
        summarised.push(notices.map(({ eventId }) => eventId));
        return (setting.summary ?? ['summary']).map((text) => ({ type: 'text', text }));
      },
      send: (method, params, answered) => {
        sent.push({ method, params });
        reply(params, answered);
      },
    },
  });
  const settle = async () => {
    for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  const submit = (one: Occurrence) => {
    let settlement: Settlement | undefined;
    void outbox.submit(one).then(async ({ settled }) => {
      settlement = await settled;
    });
    return () => settlement;
  };
  const add = async (one: Occurrence) => {
    const settlement = submit(one);
    await settle();
    return settlement;
  };
  const pass = async (ms: number) => {
    now += ms;
    for (const timer of timers.filter(({ at }) => at <= now)) {
      timers.splice(timers.indexOf(timer), 1);
      timer.action();
    }
    await settle();
  };
  const wake = async () => {
    outbox.wake();
    await settle();
  };
  const policy = async () => {
    epoch += 1;
    await wake();
  };
  const release = async (result: Record<string, unknown> = { accepted: true }) => {
    held.shift()?.(result);
    await settle();
  };
  const ids = () => sent.flatMap(idsIn);
  const requests = () => sent.map(idsIn);
  const allow = (isAllowed: boolean) => {
    permit = isAllowed ? 'yes' : 'wait';
  };
  await outbox.restore();
  const tools = {
    outbox,
    store: kept,
    sent,
    summarised,
    ids,
    requests,
    add,
    submit,
    pass,
    policy,
    wake,
    settle,
    release,
  };
  return { ...tools, allow };
};

describe('a channel on its way to the host', () => {
  it('is under way many at once, in order; a subject only when what it sent before has been answered', async () => {
    const { add, ids, release, outbox } = await setUp(['held', 'held', 'held', 'held']);
    const edit = { ...occurrence(1, 'edit'), eventId: 'e1b' };
    for (const one of [occurrence(1), occurrence(2), edit, occurrence(3)]) await add(one);
    expect(ids()).toEqual(['e1', 'e2', 'e3']);
    await release();
    expect(ids()).toEqual(['e1', 'e2', 'e3', 'e1b']);
    for (let i = 0; i < 3; i++) await release();
    expect(outbox.length).toBe(0);
  });

  it('is under way no more at once than it may', async () => {
    const { add, ids, release } = await setUp(['held', 'held', 'held'], { inFlight: 2 });
    for (const n of [1, 2, 3]) await add(occurrence(n));
    expect(ids()).toEqual(['e1', 'e2']);
    await release();
    expect(ids()).toEqual(['e1', 'e2', 'e3']);
  });

  it('repeats what failed before it sends what is behind', async () => {
    const { add, ids, pass, release } = await setUp(['held', 'lost', 'held']);
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
    const { add, ids, pass } = await setUp(['lost']);
    const first = await add(occurrence(1));
    await add(occurrence(2));
    expect(ids()).toEqual(['e1']);
    await pass(250);
    expect(ids()).toEqual(['e1', 'e1', 'e2']);
    expect(first()).toEqual({ kind: 'delivered' });
  });

  it('sends the same bytes again, whatever has changed meanwhile', async () => {
    const { add, sent, pass } = await setUp([-32603, 'lost']);
    await add(occurrence(1));
    await pass(1000);
    await pass(1000);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ params }) => params)).size).toBe(1);
  });

  it('waits out its pause though more arrives', async () => {
    const { add, ids, pass } = await setUp(['lost']);
    await add(occurrence(1));
    for (const n of [2, 3, 4]) await add(occurrence(n));
    expect(ids()).toEqual(['e1']);
    await pass(249);
    expect(ids()).toEqual(['e1', 'e1', 'e2', 'e3', 'e4']);
  });

  it('never asks again under a policy that refused it, whatever else happens, and asks under the next', async () => {
    const { wake, add, ids, policy } = await setUp([-32002]);
    await add(occurrence(1));
    await add(occurrence(2));
    await wake();
    expect(ids()).toEqual(['e1']);
    await policy();
    expect(ids()).toEqual(['e1', 'e1', 'e2']);
  });

  it('goes on behind what the host will never take', async () => {
    const { add, ids, store } = await setUp([-32602]);
    const first = await add(occurrence(1));
    const second = await add(occurrence(2));
    expect(first()).toEqual({ kind: 'buried', reason: 'refused: no (-32602)' });
    expect(second()).toEqual({ kind: 'delivered' });
    expect(ids()).toEqual(['e1', 'e2']);
    expect(await store.deadLetters(9)).toMatchObject([{ occurrence: { eventId: 'e1' } }]);
  });

  it('registers once more for a channel the host does not know, then gives up', async () => {
    const { add, ids } = await setUp([-32023, -32017]);
    const first = await add(occurrence(1));
    expect(ids()).toEqual(['e1', 'e1']);
    expect(first()).toEqual({ kind: 'buried', reason: 'channel_refused' });
  });

  it('stops at the deadline and lets the next one pass', async () => {
    const { add, ids, pass } = await setUp(['lost']);
    const first = await add(occurrence(1));
    const second = await add(occurrence(2));
    await pass(3_570_001);
    expect(first()).toEqual({ kind: 'buried', reason: 'expired' });
    expect(second()).toEqual({ kind: 'delivered' });
    expect(ids()).toEqual(['e1', 'e2']);
  });

  it('is folded only before its first attempt', async () => {
    const { add, ids, pass, sent } = await setUp(['lost']);
    await add(occurrence(1));
    const edit = { ...occurrence(1, 'edit'), eventId: 'e1b' };
    await add(edit);
    await add({ ...edit, eventId: 'e1c', content: [{ type: 'text', text: 'last' }] });
    await pass(250);
    expect(ids()).toEqual(['e1', 'e1', 'e1c']);
    expect(sent[2]?.params).toContain('last');
  });

  it('does not leave when what it needs was taken back while its attempt was recorded', async () => {
    const { submit, settle, ids, allow, wake } = await setUp([]);
    submit(occurrence(1));
    allow(false);
    await settle();
    expect(ids()).toEqual([]);
    allow(true);
    await wake();
    expect(ids()).toEqual(['e1']);
  });
});

describe('messages of an open channel', () => {
  const INCOMING: Setting = { route: { kind: 'incoming', coalesce: true } };
  const results = (...accepted: boolean[]) => ({
    results: accepted.map((one, i) => ({ messageId: String(i + 1), accepted: one, ...(one ? {} : { reason: 'no' }) })),
  });

  it('share a request when they come together, in their order, no more than there may be', async () => {
    const { submit, settle, requests } = await setUp([], { ...INCOMING, maxMessages: 3 });
    for (const n of [1, 2, 3, 4, 5]) submit(occurrence(n));
    await settle();
    expect(requests()).toEqual([
      ['e1', 'e2', 'e3'],
      ['e4', 'e5'],
    ]);
  });

  it('each have the answer that is theirs', async () => {
    const { submit, settle, store } = await setUp([results(true, false, true)], INCOMING);
    const how = [1, 2, 3].map((n) => submit(occurrence(n)));
    await settle();
    expect(how.map((one) => one())).toEqual([
      { kind: 'delivered' },
      { kind: 'buried', reason: 'refused: no' },
      { kind: 'delivered' },
    ]);
    expect(await store.deadLetters(9)).toHaveLength(1);
  });

  it('are each asked alone for what the host refuses as a whole: one to blame takes no other with it', async () => {
    const { submit, settle, requests } = await setUp([-32602, {}, -32602, {}], INCOMING);
    const how = [1, 2, 3].map((n) => submit(occurrence(n)));
    await settle();
    expect(requests()).toEqual([['e1', 'e2', 'e3'], ['e1'], ['e2'], ['e3']]);
    expect(how.map((one) => one()?.kind)).toEqual(['delivered', 'buried', 'delivered']);
  });

  it('of which the host says nothing are sent again, and only those', async () => {
    const { submit, settle, pass, requests } = await setUp([results(true)], INCOMING);
    for (const n of [1, 2]) submit(occurrence(n));
    await settle();
    await pass(250);
    expect(requests()).toEqual([['e1', 'e2'], ['e2']]);
  });
});

describe('notices for a host that cannot ask for renders', () => {
  const notice = (n: number, fields: Partial<NoticeOccurrence> = {}): NoticeOccurrence => ({
    kind: 'notice',
    eventId: `n${n}`,
    channelId: 'c',
    key: 'activity',
    initial: n === 1,
    featureSet: 'f',
    timestamp: '2026-01-01T00:00:00Z',
    content: [{ type: 'text', text: `there is more (${n})` }],
    tags: [`t${n}`],
    origin: {},
    ...fields,
  });
  const PLAIN: Setting = { leaves: { ...ALL_LEAVES, deferred: false } };

  it('become one summary when it has been quiet, and hold nobody up meanwhile', async () => {
    const { add, pass, sent, ids, summarised, outbox, store } = await setUp([], PLAIN);
    const first = await add(notice(1));
    await pass(1500);
    const second = await add(notice(2));
    await add(occurrence(7));
    expect(ids()).toEqual(['e7']);
    await pass(1500);
    expect(ids()).toEqual(['e7']);
    await pass(500);
    expect(summarised).toEqual([['n1', 'n2']]);
    expect(ids()).toEqual(['e7', 'n2']);
    expect(JSON.parse(sent[1]?.params ?? '')).toMatchObject({
      payload: { content: [{ text: 'summary' }] },
      tags: ['t1', 't2'],
      coalesce: { key: 'activity', channelId: 'c', initial: true },
    });
    expect(sent[1]?.params).not.toContain('deferred');
    expect([first(), second()]).toEqual([{ kind: 'folded' }, { kind: 'delivered' }]);
    expect([outbox.length, (await store.load()).entries]).toEqual([0, []]);
  });

  it('are told at the latest when the first has waited long enough', async () => {
    const { add, pass, ids } = await setUp([], PLAIN);
    for (let n = 1; n <= 9; n++) {
      await add(notice(n));
      await pass(1200);
    }
    expect(ids()).toEqual(['n9']);
  });

  it('that come to nothing are not told', async () => {
    const { add, pass, sent } = await setUp([], { ...PLAIN, summary: [] });
    const settlement = await add(notice(1));
    await pass(2000);
    expect([sent, settlement()]).toEqual([[], { kind: 'delivered' }]);
  });

  it('are sent as notices to a host that can', async () => {
    const { add, sent } = await setUp([]);
    await add(notice(1, { data: { n: 1 } }));
    expect(JSON.parse(sent[0]?.params ?? '').coalesce).toEqual({
      key: 'activity',
      channelId: 'c',
      initial: true,
      deferred: true,
      data: { n: 1 },
    });
  });
});

describe('what an earlier process left behind', () => {
  const restored = async (wire: WireForm) => {
    const store = new MemoryStore({ monotonic: () => 0 });
    await store.commit([
      { kind: 'append', seq: 1, occurrence: occurrence(1) },
      { kind: 'attempt', seq: 1, wire, windowMs: 3_600_000 },
    ]);
    const set = await setUp([], {}, store);
    await set.wake();
    return set;
  };

  it('is sent as it was sent before', async () => {
    const body = '{"eventId":"e1","as":"before"}';
    const { sent } = await restored({ method: 'push/event', coalesced: true, inChannelScope: true, body });
    expect(sent).toEqual([{ method: 'push/event', params: body }]);
  });

  it('is one when it is handed over again, and takes up what follows once', async () => {
    const store = new MemoryStore({ monotonic: () => 0 });
    await store.commit([{ kind: 'append', seq: 1, occurrence: occurrence(1) }]);
    const { add, allow, sent, ids, wake } = await setUp([], {}, store);
    allow(false);
    const again = await add(occurrence(1));
    await add({ ...occurrence(1, 'edit'), eventId: 'e1b', content: [{ type: 'text', text: 'edited' }] });
    allow(true);
    await wake();
    expect(ids()).toEqual(['e1']);
    expect(sent[0]?.params).toContain('edited');
    expect(again()).toEqual({ kind: 'delivered' });
  });

  it('is not sent again where the host could show it twice', async () => {
    const { sent, store } = await restored({
      method: 'channels/incoming',
      coalesced: false,
      inChannelScope: false,
      body: '{}',
    });
    expect(sent).toEqual([]);
    expect(await store.deadLetters(1)).toMatchObject([{ reason: 'outcome_unknown' }]);
  });
});
