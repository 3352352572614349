import {
  type ConnectOptions,
  type FaultOptions,
  Faults,
  Host,
  type HostOptions,
  PROFILES,
  type ProfileName,
} from '@mcpl-bridges/host';
import type { ChannelDescriptor } from '@mcpl-bridges/protocol';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MemoryStore, Producer, type ProducerOptions } from './index.js';

const room = (id: string): ChannelDescriptor => ({ id, type: 'chat', label: id, direction: 'bidirectional' });

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const newProducer = (options: Partial<ProducerOptions> = {}) =>
  new Producer({
    name: 'chat',
    version: '1',
    platform: 'chat',
    featureSets: {
      'chat.messaging': {
        description: 'Messages',
        uses: ['tools', 'pushEvents', 'channels.register', 'channels.lifecycle', 'channels.incoming'],
      },
    },
    messagingFeatureSet: 'chat.messaging',
    store: new MemoryStore(),
    tools: { list: () => [{ name: 'wave', inputSchema: { type: 'object' } }], call: async () => ({ content: [] }) },
    callbacks: { publish: async () => ({ delivered: true }) },
    random: () => 0,
    ...options,
  });

const meet = async (host: Host, producer: Producer, connect: Partial<ConnectOptions> = {}) => {
  const [a, b] = InMemoryTransport.createLinkedPair();
  await producer.connect(b);
  const session = await host.connect(a, { serverId: 'chat', endpoint: 'memory:', ...connect });
  closers.push(() => host.close());
  return session;
};

const facts = (text: string) => ({
  author: { id: 'u', name: 'alice' },
  timestamp: '2026-01-01T00:00:00Z',
  content: [{ type: 'text' as const, text }],
  tags: [],
});

const reads = async (host: Host) => (await host.turn({ name: 'silent', respond: async () => undefined })).context;

/** A message, its edit and its deletion before a turn, and a second message that is edited after one. */
const converse = async (host: Host, producer: Producer): Promise<readonly string[]> => {
  await producer.register([room('chat:room')]);
  const [first, second] = ['1', '2'].map((id) => producer.channel('chat:room').message(id));
  await first?.create(facts('one'));
  await first?.edit({ ...facts('one, edited'), revision: 'r1' });
  await (await first?.delete(facts('[one is gone]')))?.settled;
  await (await second?.create(facts('two')))?.settled;
  await reads(host);
  await (await second?.edit({ ...facts('two, edited'), revision: 'r1' }))?.settled;
  return reads(host);
};

describe('what a model reads of one conversation, from a host that is', () => {
  it.each<[ProfileName, readonly string[]]>([
    ['strict', ['two', 'two, edited']],
    ['conservative', ['two', 'two, edited']],
    ['buffering', ['two', 'two, edited']],
    ['append-only', ['one', 'one, edited', '[one is gone]', 'two', 'two, edited']],
    ['queueing', ['one', 'one, edited', '[one is gone]', 'two', 'two, edited']],
    ['legacy-array', ['one', 'one, edited', '[one is gone]', 'two', 'two, edited']],
    ['legacy-object', ['one', 'one, edited', '[one is gone]', 'two', 'two, edited']],
  ])('%s', async (name, want) => {
    const host = new Host({ profile: PROFILES[name] });
    const producer = newProducer();
    await meet(host, producer);
    // Before anything else is said, so that nothing is folded on the way.
    await vi.waitFor(() => expect(producer.phase).toBe('ready'));
    expect(await converse(host, producer)).toEqual(want);
  });

  it('plain MCP: nothing, and the tools work', async () => {
    const host = new Host({ profile: PROFILES['plain-mcp'] });
    const producer = newProducer();
    const session = await meet(host, producer);
    await producer.channel('chat:room').message('1').create(facts('one'));
    expect((await session.mcp.listTools()).tools.map(({ name }) => name)).toEqual(['wave']);
    expect(producer.backlog).toBe(1);
    expect(await reads(host)).toEqual([]);
  });
});

describe('a host of MCPL 0.4', () => {
  it.each(['legacy-array', 'legacy-object'] as const)('%s hears of new and gone channels', async (name) => {
    const host = new Host({ profile: PROFILES[name] });
    const producer = newProducer();
    const session = await meet(host, producer);
    await producer.register([room('chat:a')]);
    await producer.register([room('chat:b')]);
    await producer.unregister(['chat:a']);
    await vi.waitFor(() => expect(session.channels.all().map(({ id }) => id)).toEqual(['chat:b']));
  });

  it('switches a feature set off by a Notification, and it stays off', async () => {
    const host = new Host({ profile: PROFILES['legacy-object'] });
    const producer = newProducer();
    await meet(host, producer, { policy: { disabled: ['chat.messaging'] } });
    await producer.register([room('chat:room')]);
    await producer.channel('chat:room').message('1').create(facts('one'));
    expect(producer.backlog).toBe(1);
    expect(await reads(host)).toEqual([]);
  });

  it('is spoken to in 0.5 where that is wanted', async () => {
    const host = new Host({ profile: PROFILES['legacy-array'] });
    await expect(meet(host, newProducer({ legacyHosts: false }))).rejects.toThrow('as a list only');
  });
});

describe('a host that', () => {
  const trouble = async (
    options: FaultOptions,
    hostOptions: HostOptions = {},
    producerOptions: Partial<ProducerOptions> = {},
  ) => {
    const host = new Host(hostOptions);
    const producer = newProducer({ requestTimeoutMs: 30, ...producerOptions });
    const session = await meet(host, producer, { faults: new Faults(options) });
    void producer.register([room('chat:room')]);
    const submitted = await producer.channel('chat:room').message('1').create(facts('one'));
    return { host, producer, session, submitted };
  };

  it('sends its policy late gets everything then', async () => {
    const { host, producer, submitted } = await trouble({ policy: { lateMs: 40 } });
    expect(producer.backlog).toBe(1);
    expect(await submitted.settled).toEqual({ kind: 'delivered' });
    expect(await reads(host)).toEqual(['one']);
  });

  it.each(['absent', 'empty', 'malformed', 'notification'] as const)(
    'sends a policy that is %s gets nothing',
    async (policy) => {
      const { host, producer } = await trouble({ policy });
      expect(producer.backlog).toBe(1);
      expect(await reads(host)).toEqual([]);
    },
  );

  it('refuses a channel gets nothing of it, and what waited for it is given up with that reason', async () => {
    const { submitted } = await trouble({ descriptors: 'refused' });
    expect(await submitted.settled).toEqual({ kind: 'buried', reason: 'channel_refused' });
  });

  it.each<[string, FaultOptions['answers']]>([
    ['answers with nothing in it', [{ method: 'push/event', fate: 'empty' }]],
    ['loses an answer', [{ method: 'push/event', fate: 'lost', times: 2 }]],
    ['does not hear', [{ method: 'push/event', fate: 'unheard', times: 2 }]],
    ['answers later than anyone waits', [{ method: 'push/event', fate: { lateMs: 60 }, times: 1 }]],
    ['does not answer a registration', [{ method: 'channels/register', fate: { lateMs: 60 } }]],
  ])('%s has it once', async (_what, answers) => {
    const { host, submitted } = await trouble({ answers });
    expect(await submitted.settled).toEqual({ kind: 'delivered' });
    expect(await reads(host)).toEqual(['one']);
  });

  it('goes away in the middle has it once when it is back', async () => {
    const { host, producer, submitted } = await trouble({
      answers: [{ method: 'push/event', fate: 'disconnect', times: 1 }],
    });
    await vi.waitFor(() => expect(producer.phase).toBe('disconnected'));
    await meet(host, producer);
    expect(await submitted.settled).toEqual({ kind: 'delivered' });
    expect(await reads(host)).toEqual(['one']);
  });

  it('takes a grant back gets nothing more, and has what waited when it gives it again', async () => {
    const { host, producer, session, submitted } = await trouble({});
    await submitted.settled;
    await session.applyPolicy({ capabilities: ['tools'] });
    const waiting = await producer.channel('chat:room').message('2').create(facts('two'));
    expect(await reads(host)).toEqual(['one']);
    expect(producer.backlog).toBe(1);
    await session.applyPolicy({});
    expect(await waiting.settled).toEqual({ kind: 'delivered' });
    expect(await reads(host)).toEqual(['one', 'two']);
  });
});
