import { Host } from '@mcpl-bridges/host';
import {
  PresenceFeed,
  PresenceProjection,
  type Roster,
  type Signal,
  type Status,
  SubjectRefs,
} from '@mcpl-bridges/presence';
import { MemoryStore, Producer } from '@mcpl-bridges/producer';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';

const CHANNEL = { id: 'world:square', type: 'world', label: '#square', direction: 'inbound' } as const;
const FEATURE_SETS = {
  'world.events': { description: 'Events', uses: ['pushEvents', 'channels.register', 'channels.incoming'] },
};
const USERS = ['alice', 'bob', 'cara', 'dan'];
const SCOPE = 'world';

type Step =
  | { readonly kind: 'tell'; readonly signal: Signal }
  | { readonly kind: 'member'; readonly userId: string; readonly isMember: boolean }
  /** The agent looks. */
  | { readonly kind: 'turn' };

const user = fc.constantFrom(...USERS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('tell' as const),
    signal: fc.record({
      kind: fc.constant('status' as const),
      scope: fc.constant(SCOPE),
      userId: user,
      status: fc.constantFrom<Status>('online', 'idle', 'dnd', 'offline'),
    }),
  }),
  fc.record({
    kind: fc.constant('tell' as const),
    signal: fc.record({ kind: fc.constant('typing' as const), channelId: fc.constant(CHANNEL.id), userId: user }),
  }),
  fc.record({
    kind: fc.constant('tell' as const),
    signal: fc.record({ kind: fc.constant('spoke' as const), channelId: fc.constant(CHANNEL.id), userId: user }),
  }),
  fc.record({ kind: fc.constant('member' as const), userId: user, isMember: fc.boolean() }),
  fc.constant<Step>({ kind: 'turn' }),
);

const openWorld = async (form: 'state' | 'digest') => {
  const producer = new Producer({
    name: 'world',
    version: '1',
    platform: 'world',
    featureSets: FEATURE_SETS,
    messagingFeatureSet: 'world.events',
    store: new MemoryStore(),
    tools: { list: () => [], call: async () => ({ content: [] }) },
    callbacks: { publish: async () => ({ delivered: true }) },
  });
  await producer.register([CHANNEL]);
  const host = new Host();
  const registered = new Promise<void>((resolve) => host.once('channels', () => resolve()));
  const [a, b] = InMemoryTransport.createLinkedPair();
  await producer.connect(b);
  await host.connect(a, { serverId: 'world', endpoint: 'memory:' });
  await registered;
  const members = new Set(USERS);
  const roster: Roster = {
    selfId: 'agent',
    scopeOf: () => SCOPE,
    isKnown: () => true,
    isMember: (_channelId, userId) => userId === 'agent' || members.has(userId),
    nameOf: (_channelId, userId) => userId,
    channels: () => [CHANNEL.id],
  };
  const DEBOUNCE_MS = 2000;
  const flushes: (() => void)[] = [];
  const time = {
    monotonic: () => 0,
    after: (ms: number, action: () => void) => {
      if (ms === DEBOUNCE_MS) flushes.push(action);
      return () => {};
    },
  };
  const feed = new PresenceFeed({ roster, time, debounceMs: DEBOUNCE_MS, limits: { graceMs: 1e9, typingMs: 1e9 } });
  feed.tell({ kind: 'census', scope: SCOPE, statuses: [] });
  const projection = new PresenceProjection({
    feed,
    refs: new SubjectRefs({ key: new Uint8Array(16), platform: 'world', use: 'subject' }),
    shown: (name) => name,
    channel: (id) => producer.channel(id),
    recall: (key) => producer.recall(key),
    formOf: () => form,
  });
  projection.begin(CHANNEL.id);
  const arrive = async (): Promise<void> => {
    for (const flush of flushes.splice(0)) flush();
    await projection.idle();
    await vi.waitFor(() => expect(producer.backlog).toBe(0), { interval: 1 });
  };
  const reads = async (): Promise<readonly string[]> =>
    (await host.turn({ name: 'silent', respond: async () => undefined })).context;
  const close = async (): Promise<void> => {
    feed.close();
    await host.close();
    await producer.close();
  };
  return { feed, members, arrive, reads, close };
};

/** Who is here, and who types, as a reader of every line takes it. */
const understood = (lines: readonly string[]) => {
  const here = new Map<string, { typing: boolean }>();
  for (const line of lines)
    for (const clause of line.replace(/^\* /, '').split('; ')) {
      const [, listed] = /^(.+) (?:is|are) here(?:$|,)/.exec(clause) ?? [];
      const [, who = ''] = /^(\w+) /.exec(clause) ?? [];
      if (clause === 'nobody else is here') continue;
      if (listed !== undefined)
        for (const name of listed.split(/, | and /)) here.set(name, { typing: clause.endsWith(', typing') });
      else if (clause.endsWith(' left')) here.delete(who);
      else if (clause.endsWith(' is typing')) here.set(who, { typing: true });
      else here.set(who, { typing: false });
    }
  return here;
};

describe('who is here as the model reads it', () => {
  it.each(['state', 'digest'] as const)('is who is here, at every turn, told as %s', async (form) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
        const world = await openWorld(form);
        try {
          await world.arrive();
          for (const one of [...steps, { kind: 'turn' } as const]) {
            if (one.kind === 'tell') world.feed.tell(one.signal);
            else if (one.kind === 'member') {
              if (one.isMember) world.members.add(one.userId);
              else world.members.delete(one.userId);
              world.feed.rosterChanged(SCOPE);
            } else {
              await world.arrive();
              const { present, typing } = world.feed.look(CHANNEL.id);
              const here = understood(await world.reads());
              expect([...here.keys()].sort()).toEqual(present.filter((id) => id !== 'agent').sort());
              if (form === 'state')
                expect(
                  [...here]
                    .filter(([, { typing }]) => typing)
                    .map(([id]) => id)
                    .sort(),
                ).toEqual([...typing].sort());
            }
          }
        } finally {
          await world.close();
        }
      }),
      { numRuns: Number(process.env.MCPL_PRESENCE_RUNS ?? 40) },
    );
  });
});
