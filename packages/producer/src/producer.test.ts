import { Host, type HostOptions, type OccurrenceReport, PROFILES, type Turn } from '@mcpl-bridges/host';
import type { ChannelDescriptor } from '@mcpl-bridges/protocol';
import { McplWire } from '@mcpl-bridges/transport';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MemoryStore, Producer, type ProducerOptions, type Settlement } from './index.js';

const CHANNEL: ChannelDescriptor = { id: 'chat:room', type: 'chat', label: '#room', direction: 'bidirectional' };

const FEATURE_SETS = {
  'chat.messaging': {
    description: 'Messages',
    uses: ['tools', 'pushEvents', 'channels.register', 'channels.lifecycle', 'channels.publish', 'channels.incoming'],
  },
};

const silent = { name: 'silent', respond: async () => undefined };
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const newProducer = (published: string[] = [], options: Partial<ProducerOptions> = {}): Producer =>
  new Producer({
    name: 'chat',
    version: '1',
    platform: 'chat',
    featureSets: FEATURE_SETS,
    messagingFeatureSet: 'chat.messaging',
    store: new MemoryStore(),
    tools: { list: () => [], call: async () => ({ content: [] }) },
    callbacks: {
      publish: async ({ content }) => {
        published.push(JSON.stringify(content));
        return { delivered: true, messageId: 'p1' };
      },
    },
    random: () => 0,
    ...options,
  });

const connect = async (producer: Producer, options: HostOptions = {}, policy = {}, host = new Host(options)) => {
  const [a, b] = InMemoryTransport.createLinkedPair();
  const reports: OccurrenceReport[] = [];
  host.on('occurrence', (report) => reports.push(report));
  const registered = new Promise<void>((resolve) => host.once('channels', () => resolve()));
  await producer.connect(b);
  const session = await host.connect(a, { serverId: 'chat', endpoint: 'memory:', policy });
  closers.push(() => host.close());
  return { host, session, reports, registered };
};

const say = (text: string, extra = {}) => ({
  author: { id: 'u1', name: 'alice' },
  timestamp: '2026-01-01T00:00:00Z',
  content: [{ type: 'text' as const, text }],
  tags: ['chat:from-human'],
  ...extra,
});

const outcomes = (reports: readonly OccurrenceReport[]) => reports.map((one) => `${one.lane} ${one.outcome}`);
const look = (host: Host): Promise<Turn> => host.turn(silent);
const delivered: Settlement = { kind: 'delivered' };

describe('a message on its way from a producer to a model', () => {
  it('is read once in its last form, and corrected by one notice after it was read', async () => {
    const producer = newProducer();
    await producer.register([CHANNEL]);
    const { host, session, reports, registered } = await connect(producer);
    await registered;
    await session.openChannel(CHANNEL.id);
    const message = producer.channel(CHANNEL.id).message('1');

    expect(await (await message.create(say('at 5'))).settled).toEqual(delivered);
    expect(await (await message.edit({ ...say('at 6'), revision: 'r1' })).settled).toEqual(delivered);
    expect((await look(host)).context).toEqual(['at 6']);
    await (await message.edit({ ...say('at 7'), revision: 'r2' })).settled;
    expect((await look(host)).context).toEqual(['at 6', 'at 7']);
    await (await message.delete(say('[deleted]'))).settled;
    expect((await look(host)).context).toEqual(['at 6', 'at 7', '[deleted]']);
    expect(outcomes(reports)).toEqual([
      'channels/incoming first',
      'push/event replaced',
      'push/event appended',
      'push/event noted',
    ]);
  });

  it('leaves no trace when it is deleted before anyone read it', async () => {
    const producer = newProducer();
    await producer.register([CHANNEL]);
    const { host, reports, registered } = await connect(producer);
    await registered;
    const message = producer.channel(CHANNEL.id).message('1');
    await (await message.create(say('never mind'))).settled;
    await (await message.delete(say('[deleted]'))).settled;
    expect(outcomes(reports)).toEqual(['push/event first', 'push/event retracted']);
    expect((await look(host)).context).toEqual([]);
  });

  it('waits in the outbox while no host is there, folded into what is true when one comes', async () => {
    const producer = newProducer();
    await producer.register([CHANNEL]);
    const first = producer.channel(CHANNEL.id).message('1');
    await first.create(say('draft'));
    await first.edit({ ...say('final'), revision: 'r1' });
    const gone = producer.channel(CHANNEL.id).message('2');
    const created = await gone.create(say('oops'));
    const deleted = await gone.delete(say('[deleted]'));
    expect(await created.settled).toEqual({ kind: 'folded' });
    expect(await deleted.settled).toEqual({ kind: 'folded' });

    const { host, reports } = await connect(producer);
    await vi.waitFor(() => expect(producer.backlog).toBe(0));
    expect(reports.map((one) => one.eventId)).toEqual(['chat:create:1']);
    expect((await look(host)).context).toEqual(['final']);
  });

  it('is appended, edit by edit, on a host without eventCoalescing', async () => {
    const producer = newProducer();
    await producer.register([CHANNEL]);
    const { host, session, reports, registered } = await connect(producer, { profile: PROFILES['append-only'] });
    await registered;
    await session.openChannel(CHANNEL.id);
    const message = producer.channel(CHANNEL.id).message('1');
    await (await message.create(say('at 5'))).settled;
    await (await message.edit({ ...say('at 6'), revision: 'r1' })).settled;
    await (await message.delete(say('[deleted]'))).settled;
    expect((await look(host)).context).toEqual(['at 5', 'at 6', '[deleted]']);
    expect(new Set(reports.map((one) => one.eventId)).size).toBe(3);
    expect(reports.map((one) => one.key)).toEqual([null, null, null]);
  });

  it('is held while the host denies everything, and goes out when it grants', async () => {
    const producer = newProducer();
    await producer.register([CHANNEL]);
    const { host, session } = await connect(producer, {}, { capabilities: [] });
    expect(session.receipt).toMatchObject({
      accepted: true,
      mode: 'degraded',
      unavailableFeatures: [{ featureSet: 'chat.messaging', effect: 'disabled' }],
    });
    const created = await producer.channel(CHANNEL.id).message('1').create(say('hello'));
    expect(producer.backlog).toBe(1);
    await session.applyPolicy({});
    expect(await created.settled).toEqual(delivered);
    expect((await look(host)).context).toEqual(['hello']);
  });

  it('is sent again after a cut connection and takes effect once', async () => {
    const producer = newProducer();
    await producer.register([CHANNEL]);
    const first = await connect(producer);
    await first.registered;
    const created = await producer.channel(CHANNEL.id).message('1').create(say('hello'));
    await first.session.close();
    const again = await connect(producer, {}, {}, first.host);
    expect(await created.settled).toEqual(delivered);
    expect((await look(again.host)).context).toEqual(['hello']);
  });
});

describe('a host that asks', () => {
  it('has its words published, and is told why when a root channel is asked for a thread', async () => {
    const published: string[] = [];
    const producer = newProducer(published);
    await producer.register([{ ...CHANNEL, capabilities: { publish: { target: 'root' } } }]);
    const { host, session, registered } = await connect(producer);
    await registered;
    expect(await host.publish(CHANNEL.id, 'hi')).toMatchObject({ kind: 'delivered', messageId: 'p1' });
    const refused = await session.request('channels/publish', { channelId: CHANNEL.id, threadId: 't', content: 'x' });
    expect(refused).toMatchObject({ delivered: false });
    expect(refused.messageId).toBeUndefined();
    expect(published).toHaveLength(1);
  });

  it('gets an error for a channel that does not exist', async () => {
    const producer = newProducer();
    await producer.register([CHANNEL]);
    const { session, registered } = await connect(producer);
    await registered;
    await expect(session.openChannel('chat:nowhere')).rejects.toThrow('Unknown channel: chat:nowhere');
  });
});

describe('registration', () => {
  it('begins with one register of everything and goes on with changes', async () => {
    const producer = newProducer();
    const { session } = await connect(producer);
    await producer.register([CHANNEL]);
    await producer.register([{ ...CHANNEL, id: 'chat:other' }]);
    await producer.register([{ ...CHANNEL, label: '#renamed' }]);
    await producer.unregister(['chat:other']);
    expect(session.channels.all()).toEqual([{ ...CHANNEL, label: '#renamed' }]);
  });

  it('that the host refuses buries what was meant for the channel', async () => {
    const producer = newProducer();
    await producer.register([CHANNEL]);
    const { host } = await connect(producer, {}, { channels: ['chat:else'] });
    const created = await producer.channel(CHANNEL.id).message('1').create(say('hello'));
    expect(await created.settled).toEqual({ kind: 'buried', reason: 'channel_refused' });
    expect((await look(host)).context).toEqual([]);
  });
});

describe('a host that is slow', () => {
  it('settles an occurrence with its late answer, without a second sending', async () => {
    vi.useFakeTimers();
    const [a, b] = InMemoryTransport.createLinkedPair();
    const host = new McplWire(a);
    const answers: ((value: unknown) => void)[] = [];
    host.handle('channels/register', () => ({ results: [{ id: CHANNEL.id, accepted: true }] }));
    host.handle('push/event', () => new Promise((resolve) => answers.push(resolve)));
    const producer = newProducer([], { random: () => 0.999, requestTimeoutMs: 100 });
    await producer.register([CHANNEL]);
    await producer.connect(b);
    await host.start();
    const advert = { experimental: { mcpl: { version: '0.5', eventCoalescing: true } } };
    const clientInfo = { name: 'slow', version: '0' };
    await host.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2024-11-05', capabilities: advert, clientInfo },
    });
    await host.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await host.request(
      'featureSets/update',
      { effectiveCapabilities: ['tools', 'pushEvents', 'channels.*'] },
      { timeoutMs: 1000 },
    );
    const creating = producer.channel(CHANNEL.id).message('1').create(say('hello'));
    await vi.advanceTimersByTimeAsync(150);
    const created = await creating;
    expect(answers).toHaveLength(1);
    answers[0]?.({ accepted: true });
    expect(await created.settled).toEqual(delivered);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(answers).toHaveLength(1);
    vi.useRealTimers();
  });
});
