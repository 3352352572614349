import { ALL_LEAVES, type CoalescingLeaves } from '@mcpl-bridges/protocol';
import type { Answer } from '@mcpl-bridges/transport';
import { silentLog } from '../log.js';
import type { Route } from '../occurrence/lane.js';
import type { Action, MessageOccurrence, Occurrence } from '../occurrence/occurrence.js';
import { MemoryStore } from '../store/memory-store.js';
import type { Store } from '../store/store.js';
import { DEFAULT_OUTBOX_LIMITS, Outbox } from './outbox.js';
import type { Settlement } from './queued.js';

export const occurrence = (n: number, action: Action = 'create'): MessageOccurrence => ({
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

export interface Setting {
  readonly route?: Route;
  readonly inFlight?: number;
  readonly maxMessages?: number;
  readonly leaves?: CoalescingLeaves;
  readonly summary?: readonly string[];
}

/** An outbox with a host that answers by a script, and a clock that stands until it is moved. */
export const setUp = async (replies: Reply[], setting: Setting = {}, store?: Store) => {
  let now = 0;
  const timers: { at: number; action: () => void }[] = [];
  const sent: Sent[] = [];
  const held: ((result: Record<string, unknown>) => void)[] = [];
  const summarised: string[][] = [];
  let epoch = 1;
  let windowMs = 3_600_000;
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
      withholds: () => false,
      policyEpoch: () => epoch,
      retryWindowMs: () => windowMs,
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
  /** Nothing waits for the store, or for what follows from it. */
  const settled = async () => {
    for (let i = 0; i < 3; i++) {
      await outbox.settled();
      await settle();
    }
  };
  /** The host advertises another retry window. */
  const advertise = (ms: number) => {
    windowMs = ms;
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
  return { ...tools, allow, advertise, settled };
};
