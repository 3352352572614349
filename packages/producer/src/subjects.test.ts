import { Host, type HostOptions, PROFILES, type Turn } from '@mcpl-bridges/host';
import { ALL_LEAVES, type ChannelDescriptor } from '@mcpl-bridges/protocol';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MemoryStore, type NoticeOnly, Producer, type ProducerOptions, type SourceBacked } from './index.js';

const CHANNEL: ChannelDescriptor = { id: 'world:square', type: 'world', label: '#square', direction: 'inbound' };

const FEATURE_SETS = {
  'world.events': { description: 'Events', uses: ['pushEvents', 'channels.register', 'channels.incoming'] },
};

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const set = async (hostOptions: HostOptions = {}, options: Partial<ProducerOptions> = {}) => {
  const producer = new Producer({
    name: 'world',
    version: '1',
    platform: 'world',
    featureSets: FEATURE_SETS,
    messagingFeatureSet: 'world.events',
    store: new MemoryStore(),
    tools: { list: () => [], call: async () => ({ content: [] }) },
    callbacks: { publish: async () => ({ delivered: true }) },
    outbox: { gather: { quietMs: 30, maxMs: 500 } },
    ...options,
  });
  await producer.register([CHANNEL]);
  const host = new Host(hostOptions);
  const registered = new Promise<void>((resolve) => host.once('channels', () => resolve()));
  const [a, b] = InMemoryTransport.createLinkedPair();
  await producer.connect(b);
  const session = await host.connect(a, { serverId: 'world', endpoint: 'memory:', manifestIntervalMs: 1 });
  closers.push(() => host.close());
  await registered;
  const reads = async (): Promise<Turn['context']> =>
    (await host.turn({ name: 'silent', respond: async () => undefined })).context;
  return { producer, host, session, reads };
};

const text = (value: string) => [{ type: 'text' as const, text: value }];
const without = (leaf: 'deferred' | 'channelScopedPush'): HostOptions => ({
  profile: { ...PROFILES.strict, coalescing: { ...ALL_LEAVES, [leaf]: false } },
});

describe('a state', () => {
  it('is shown as it is when the model looks, and corrected when it was read', async () => {
    const { producer, reads } = await set();
    const battery = producer.featureSet('world.events').state('battery');
    await battery.set({ content: text('80 %'), initial: true });
    await (await battery.set({ content: text('79 %') })).settled;
    expect(await reads()).toEqual(['79 %']);
    await (await battery.set({ content: text('20 %') })).settled;
    expect(await reads()).toEqual(['79 %', '20 %']);
    await (await battery.withdraw({ content: text('the battery was taken out') })).settled;
    expect(await reads()).toEqual(['79 %', '20 %', 'the battery was taken out']);
  });

  it('that nobody has read goes without a trace; a visit is a subject of its own', async () => {
    const { producer, reads } = await set();
    const visit = (n: number) => producer.channel(CHANNEL.id).state(`presence:cara:${n}`);
    await visit(1).set({ content: text('Cara is here'), initial: true });
    await (await visit(1).withdraw({ content: text('Cara left') })).settled;
    await (await visit(2).set({ content: text('Cara is back'), initial: true })).settled;
    expect(await reads()).toEqual(['Cara is back']);
  });

  it('of two channels never meet, also where a host has no scope for channels', async () => {
    const { producer, reads } = await set(without('channelScopedPush'));
    const [here, there] = [CHANNEL.id, 'world:gate'].map((id) => producer.channel(id));
    await producer.register([{ ...CHANNEL, id: 'world:gate' }]);
    await here?.state('mood').set({ content: text('calm'), initial: true });
    await (await there?.state('mood').set({ content: text('busy'), initial: true }))?.settled;
    expect(await reads()).toEqual(['calm', 'busy']);
  });

  it('withdrawn without a word is not sent to a host that only appends', async () => {
    const { producer, reads } = await set({ profile: PROFILES['append-only'] });
    const battery = producer.featureSet('world.events').state('battery');
    await (await battery.set({ content: text('80 %') })).settled;
    expect(await (await battery.withdraw()).settled).toEqual({ kind: 'delivered' });
    await (await battery.withdraw({ content: text('gone') })).settled;
    expect(await reads()).toEqual(['80 %', 'gone']);
  });
});

describe('a digest of notices', () => {
  const activity: NoticeOnly = {
    kind: 'notices',
    fold: (notices, dropped) => ({
      content: text(notices.map(({ data }) => String(data)).join('; ')),
      dropped: dropped.mention((count) => `and ${count} earlier changes`),
    }),
  };

  it('is folded when a model looks, once', async () => {
    const { producer, reads } = await set();
    const digest = producer.channel(CHANNEL.id).digest('activity', activity);
    for (const data of ['Bob moved', 'Bob waved'])
      await (await digest.notice({ data, fallback: text('something happened') })).settled;
    expect(await reads()).toEqual(['Bob moved; Bob waved']);
    expect(await reads()).toEqual(['Bob moved; Bob waved']);
  });

  it('says how many changes it was not given', async () => {
    const { producer, reads } = await set();
    const digest = producer.channel(CHANNEL.id).digest('activity', activity);
    for (let i = 0; i < 70; i++) await (await digest.notice({ data: i, fallback: text('x') })).settled;
    expect((await reads())[0]).toMatch(/^6; 7; .*; 69\nand 6 earlier changes$/);
  });

  it('is one summary to a host that cannot ask', async () => {
    const { producer, reads } = await set(without('deferred'));
    const digest = producer.channel(CHANNEL.id).digest('activity', activity);
    await digest.notice({ data: 1, fallback: text('1 change; ask for more') });
    await (await digest.notice({ data: 2, fallback: text('2 changes; ask for more') })).settled;
    expect(await reads()).toEqual(['1; 2']);
  });

  it('that nobody declared is its fallback', async () => {
    const { producer, host, reads } = await set();
    await (
      await producer
        .channel(CHANNEL.id)
        .digest('activity', activity)
        .notice({ fallback: text('fallback') })
    ).settled;
    const [a, b] = InMemoryTransport.createLinkedPair();
    const other = await set({}, {});
    await other.producer.connect(b);
    const again = new Promise<void>((resolve) => host.once('channels', () => resolve()));
    await host.connect(a, { serverId: 'world', endpoint: 'memory:' });
    await again;
    expect(await reads()).toEqual(['fallback']);
  });
});

describe('a digest of a source', () => {
  /** A document that is described from one version to the next. */
  const document = () => {
    const gates: (() => void)[] = [];
    const state = { version: 0, held: false, fail: false };
    const renderer: SourceBacked = {
      kind: 'source',
      describe: async (baseline) => {
        const from = Number(baseline ?? 0);
        if (state.held) await new Promise<void>((resolve) => gates.push(resolve));
        if (state.fail) throw new Error('the source is away');
        const to = state.version;
        return { content: from === to ? [] : text(`versions ${from + 1} to ${to}`), baseline: to };
      },
    };
    return { renderer, state, release: () => gates.shift()?.(), waiting: () => gates.length };
  };

  it('is described from where the last description ended, over a restart as well', async () => {
    const store = new MemoryStore();
    const source = document();
    const first = await set({}, { store });
    const notify = async (producer: Producer) =>
      (
        await producer
          .featureSet('world.events')
          .digest('doc', source.renderer)
          .notice({ fallback: text('changed') })
      ).settled;
    source.state.version = 2;
    await notify(first.producer);
    expect(await first.reads()).toEqual(['versions 1 to 2']);
    source.state.version = 5;
    const second = await set({}, { store });
    await notify(second.producer);
    expect(await second.reads()).toEqual(['versions 3 to 5']);
  });

  it('is described by one at a time, though a host has given up on the first', async () => {
    const source = document();
    const { producer, reads } = await set({ renders: { timeoutMs: 50 } });
    const digest = producer.featureSet('world.events').digest('doc', source.renderer);
    source.state.version = 1;
    source.state.held = true;
    await (await digest.notice({ fallback: text('changed') })).settled;
    expect(await reads()).toEqual(['changed']);
    source.state.version = 2;
    await (await digest.notice({ fallback: text('changed again') })).settled;
    const second = reads();
    await vi.waitFor(() => expect(source.waiting()).toBe(1));
    source.state.held = false;
    source.release();
    // The late one took 1 and 2; for the next there is nothing left, and nothing is told twice.
    expect(await second).toEqual(['changed']);
    source.state.version = 3;
    await (await digest.notice({ fallback: text('changed once more') })).settled;
    expect(await reads()).toEqual(['changed', 'versions 3 to 3']);
  });

  it('that fails is its fallback, and the next one has it all', async () => {
    const source = document();
    const { producer, reads } = await set();
    const digest = producer.featureSet('world.events').digest('doc', source.renderer);
    source.state.version = 1;
    source.state.fail = true;
    await (await digest.notice({ fallback: text('changed') })).settled;
    expect(await reads()).toEqual(['changed']);
    source.state.fail = false;
    await (await digest.notice({ fallback: text('changed') })).settled;
    expect(await reads()).toEqual(['changed', 'versions 1 to 1']);
  });
});

it('events are appended, each under an id of its own', async () => {
  const { producer, host, reads } = await set({}, { newId: () => 'made-up' });
  const seen: string[] = [];
  host.on('occurrence', ({ eventId }) => seen.push(eventId));
  const place = producer.featureSet('world.events');
  await (await place.event({ content: text('it rains') })).settled;
  await (await place.event({ content: text('it pours'), eventId: 'world:rain:2' })).settled;
  expect(await reads()).toEqual(['it rains', 'it pours']);
  expect(seen).toEqual(['world:made-up', 'world:rain:2']);
});

describe('what cannot be', () => {
  it.each<[string, (producer: Producer) => unknown, RegExp]>([
    [
      'a key over 256 bytes',
      (p) => p.channel('c').state('é'.repeat(129)),
      /key must be 1 to 256 bytes of UTF-8, got 258/,
    ],
    ['an empty key', (p) => p.channel('c').state(''), /key must be 1 to 256/],
    [
      'a message id that makes such a key',
      (p) => p.channel('c').message('x'.repeat(249)),
      /messageId must be 1 to 248/,
    ],
    ['a feature set nobody declared', (p) => p.featureSet('nobody'), /feature set nobody is not among featureSets/],
    ['a declaration without the messaging set', (p) => p.declare({}), /messagingFeatureSet world.events is not among/],
    [
      'data over 4 KiB',
      (p) =>
        p
          .featureSet('world.events')
          .digest('d', { kind: 'source', describe: async () => ({ content: [], baseline: 0 }) })
          .notice({ fallback: text('x'), data: 'y'.repeat(4096) }),
      /data must be at most 4096 bytes as JSON, got 4098/,
    ],
  ])('%s is refused at the call', async (_what, act, message) => {
    const { producer } = await set();
    expect(() => act(producer)).toThrow(message);
  });

  it('does not compile', async () => {
    const { producer } = await set();
    const state = producer.channel(CHANNEL.id).state('k');
    // @ts-expect-error a withdrawal never begins a subject
    void (() => state.withdraw({ initial: true }));
    // @ts-expect-error a state carries no data
    void (() => state.set({ content: [], data: 1 }));
    // @ts-expect-error what is missing must be mentioned
    const forgetful: NoticeOnly = { kind: 'notices', fold: () => ({ content: [] }) };
    expect(forgetful.kind).toBe('notices');
  });
});

it('other feature sets are announced once, and granted by the next policy', async () => {
  const { producer, host, session } = await set();
  const receipts: unknown[] = [];
  host.on('changed', (_session, receipt) => receipts.push(receipt.impacts));
  const more = { description: 'More', uses: ['pushEvents'] };
  producer.declare({ ...FEATURE_SETS, more });
  producer.declare({ ...FEATURE_SETS, more, yetMore: more });
  await vi.waitFor(() => expect(receipts).toHaveLength(1));
  expect(receipts[0]).toMatchObject([{ subject: 'more' }, { subject: 'yetMore' }]);
  expect(session.granted?.featureSets.get('yetMore')).toBe('enabled');
  expect(await (await producer.featureSet('yetMore').event({ content: text('new') })).settled).toEqual({
    kind: 'delivered',
  });
});
