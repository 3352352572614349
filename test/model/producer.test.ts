import { Host, type HostSession, PROFILES, type Profile } from '@mcpl-bridges/host';
import { Producer } from '@mcpl-bridges/producer';
import { plainText } from '@mcpl-bridges/protocol';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { paperJournal } from '../../packages/host/src/paper-journal.testkit.js';
import { Paper, PaperStore } from '../../packages/producer/src/store/log/paper-store.testkit.js';
import { type Fate, LossyTransport } from './lossy-transport.js';
import { StoreService } from './mortal-store.js';

/** Programs a profile; `npm run soak` asks for more. */
const RUNS = Number(process.env.MCPL_MODEL_RUNS ?? 1000);
const HOUR = 3_600_000;
const CHANNEL = { id: 'chat:room', type: 'chat', label: '#room', direction: 'bidirectional' } as const;
const MESSAGES = 4;

type Step =
  | { readonly do: 'say'; readonly message: number; readonly what: 'change' | 'delete' }
  | { readonly do: 'read' }
  | { readonly do: 'fate'; readonly fate: Fate }
  | { readonly do: 'release' | 'disconnect' | 'reconnect' | 'restart host' | 'kill producer' | 'store back' }
  | { readonly do: 'store away'; readonly losesAnswers: boolean }
  | { readonly do: 'open'; readonly open: boolean }
  | { readonly do: 'pass'; readonly ms: number }
  /** The store's clock goes forwards, or starts anew, as after a reboot. */
  | { readonly do: 'set store clock'; readonly byMs: number }
  | { readonly do: 'set wall clock'; readonly byMs: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      message: fc.nat(MESSAGES - 1),
      what: fc.constantFrom('change' as const, 'change' as const, 'delete' as const),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'read' } as const) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('fate' as const),
      fate: fc.constantFrom<Fate>('drop request', 'drop reply', 'late reply', 'duplicate', 'cut', 'pass'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom<'release' | 'disconnect' | 'reconnect' | 'restart host' | 'kill producer' | 'store back'>(
        'release',
        'disconnect',
        'reconnect',
        'reconnect',
        'restart host',
        'kill producer',
        'store back',
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('store away' as const), losesAnswers: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('open' as const), open: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1000, 61_000, 61_000, HOUR + 1) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('set store clock' as const),
      byMs: fc.constantFrom(-1000 * HOUR, HOUR / 2, 2 * HOUR),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('set wall clock' as const),
      byMs: fc.constantFrom(-30 * HOUR, -HOUR / 2, HOUR / 2, 30 * HOUR),
    }),
  },
);

/** One message as its platform has it: every version it ever had, and whether it is gone. */
interface Message {
  readonly versions: string[];
  gone: boolean;
}

const settled = async (): Promise<void> => {
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < 60; i++) await null;
    vi.advanceTimersByTime(0);
  }
};

/** A platform, a producer, a wire, a host and a store, each of which may fail at any moment. */
class World {
  private readonly messages: Message[] = Array.from({ length: MESSAGES }, () => ({ versions: [], gone: false }));
  private storeAheadMs = 0;
  private readonly paper = new Paper();
  private readonly service = new StoreService(
    () => new PaperStore(this.paper, () => ({ epoch: 'one', at: performance.now() + this.storeAheadMs })),
  );
  private readonly journal = paperJournal(7);
  private readonly fates: Fate[] = [];
  /** What has happened on the platform and is not known to be stored, in order. */
  private readonly unstored: ((producer: Producer) => Promise<unknown>)[] = [];
  private handingOver: Producer | undefined;
  private connection = this.service.connect();
  private producer: Producer | undefined;
  private host: Host;
  private session: HostSession | undefined;
  private wire: LossyTransport | undefined;
  private wantsOpen = true;
  /** When each occurrence was first on the wire, and whether it was ever there too late. */
  private readonly firstSent = new Map<string, number>();
  private readonly tooLate: string[] = [];

  constructor(private readonly profile: Profile) {
    this.host = this.newHost();
  }

  async run(steps: readonly Step[]): Promise<void> {
    await this.startProducer();
    await this.connect();
    for (const one of steps) {
      await this.act(one);
      void this.handOver();
      await settled();
    }
    await this.heal();
    await this.judge();
    // What is left of this world must not slow the next ones down.
    vi.clearAllTimers();
  }

  private async act(one: Step): Promise<void> {
    switch (one.do) {
      case 'say':
        return this.say(one.message, one.what);
      case 'read':
        return void this.host.engine.assemble('main');
      case 'fate':
        return void this.fates.push(one.fate);
      case 'release':
        return this.wire?.release();
      case 'disconnect':
        return this.disconnect();
      case 'reconnect':
        return this.session ? undefined : this.connect();
      case 'restart host':
        await this.disconnect();
        this.host = this.newHost();
        return;
      case 'kill producer':
        this.connection.kill();
        await this.disconnect();
        this.handingOver = undefined;
        this.connection = this.service.connect();
        return this.startProducer();
      case 'store away':
        return this.service.goAway(one.losesAnswers);
      case 'store back':
        return this.service.comeBack();
      case 'open':
        this.wantsOpen = one.open;
        return this.openOrClose();
      case 'pass':
        return void vi.advanceTimersByTime(one.ms);
      case 'set store clock':
        this.storeAheadMs += one.byMs;
        return;
      case 'set wall clock':
        return void vi.setSystemTime(Date.now() + one.byMs);
    }
  }

  private say(n: number, what: 'change' | 'delete'): void {
    const message = this.messages[n];
    if (!message || message.gone || (what === 'delete' && message.versions.length === 0)) return;
    const facts = (text: string) => ({
      author: { id: 'u', name: 'alice' },
      timestamp: '2026-01-01T00:00:00Z',
      content: [{ type: 'text' as const, text }],
      tags: [],
    });
    const subject = (producer: Producer) => producer.channel(CHANNEL.id).message(String(n));
    if (what === 'delete') {
      message.gone = true;
      this.unstored.push((producer) => subject(producer).delete(facts(`gone ${n}`)));
      return;
    }
    const revision = message.versions.length;
    const text = `message ${n} version ${revision}`;
    this.unstored.push(
      revision === 0
        ? (producer) => subject(producer).create(facts(text))
        : async (producer) => {
            // An edit that became part of its create has no name of its own any more: who may tell of it twice keeps a record.
            const key = `revision:${n}`;
            const known = ((await producer.recall(key)) as number | undefined) ?? 0;
            if (known >= revision) return;
            const records = [{ key, value: revision }];
            await subject(producer).edit({ ...facts(text), revision: `r${revision}`, records });
          },
    );
    message.versions.push(text);
  }

  /** The platform's queue: one after the other, and what is not known to be stored is handed over again. */
  private async handOver(): Promise<void> {
    const { producer } = this;
    if (!producer || this.handingOver === producer) return;
    this.handingOver = producer;
    for (let next = this.unstored[0]; next; next = this.unstored[0]) {
      await next(producer);
      if (this.handingOver !== producer) return;
      this.unstored.shift();
    }
    this.handingOver = undefined;
  }

  private newHost(): Host {
    return new Host({ profile: this.profile, journal: this.journal() });
  }

  private async startProducer(): Promise<void> {
    const producer = new Producer({
      name: 'chat',
      version: '1',
      platform: 'chat',
      featureSets: {
        messaging: {
          description: 'm',
          uses: ['pushEvents', 'channels.register', 'channels.lifecycle', 'channels.incoming'],
        },
      },
      messagingFeatureSet: 'messaging',
      store: this.connection.store,
      tools: { list: () => [], call: async () => ({ content: [] }) },
      callbacks: { publish: async () => ({ delivered: true }) },
      random: () => 0.5,
    });
    this.producer = undefined;
    const { connection } = this;
    // A store that is away keeps a new process waiting, too.
    void producer.open().then(async () => {
      if (this.connection !== connection) return;
      this.producer = producer;
      void producer.register([CHANNEL]);
    });
    await settled();
  }

  private async connect(): Promise<void> {
    const { producer } = this;
    if (!producer) return;
    const [a, b] = InMemoryTransport.createLinkedPair();
    this.wire = new LossyTransport(b, (message) => this.fateOf(message));
    void producer.connect(this.wire);
    const { host } = this;
    const session = await host.connect(a, { serverId: 'chat', endpoint: 'memory:' });
    this.session = session;
    void session.closed.then(() => {
      if (this.session === session) this.session = undefined;
    });
    await settled();
    await this.openOrClose();
  }

  private async openOrClose(): Promise<void> {
    const { session } = this;
    if (!session?.channels.has(CHANNEL.id)) return;
    const done = this.wantsOpen ? session.openChannel(CHANNEL.id) : session.closeChannel(CHANNEL.id);
    await done.catch(() => {});
  }

  private async disconnect(): Promise<void> {
    await this.session?.close();
    await settled();
  }

  private fateOf(message: JSONRPCMessage): Fate {
    const { params } = message as { params: { eventId?: string; messages?: { eventId: string }[] } };
    const eventId = params.eventId ?? params.messages?.[0]?.eventId ?? '';
    const now = performance.now();
    const first = this.firstSent.get(eventId) ?? now;
    this.firstSent.set(eventId, first);
    if (now - first > HOUR) this.tooLate.push(eventId);
    const fate = this.fates.shift() ?? 'pass';
    // A connection repeats nothing by itself; where nobody would know the repetition, it must not be pretended.
    return fate === 'duplicate' && !this.profile.coalescing ? 'pass' : fate;
  }

  /** Everything works again, and enough time passes for everything to arrive. */
  private async heal(): Promise<void> {
    this.fates.length = 0;
    this.service.comeBack();
    await settled();
    for (let i = 0; i < 12; i++) {
      if (!this.session) await this.connect();
      void this.handOver();
      vi.advanceTimersByTime(61_000);
      await settled();
    }
  }

  private async judge(): Promise<void> {
    await this.host.engine.assemble('main');
    const read = this.host.engine.entries('main').map(({ content }) => plainText([...content]));
    expect({ waiting: this.producer?.backlog, unstored: this.unstored.length }).toEqual({ waiting: 0, unstored: 0 });
    expect(this.tooLate).toEqual([]);
    const letters = this.paper.dead;
    for (const [n, message] of this.messages.entries()) {
      const mine = read.filter((text) => text === `gone ${n}` || text.startsWith(`message ${n} `));
      const given = letters.filter(({ occurrence }) => 'messageId' in occurrence && occurrence.messageId === String(n));
      this.judgeMessage(n, message, mine, given.length > 0);
    }
  }

  private judgeMessage(n: number, { versions, gone }: Message, read: readonly string[], isIncomplete: boolean): void {
    const order = [...versions, `gone ${n}`];
    // Nothing twice, and nothing before what came before it.
    expect(read).toEqual([...new Set(read)].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
    if (isIncomplete) return;
    if (!gone) expect(read.at(-1)).toBe(versions.at(-1));
    else if (read.length > 0) expect(read.at(-1)).toBe(`gone ${n}`);
  }
}

/** Programs that failed once. */
const ONCE_WRONG: [Step[]][] = [
  // The edit was folded into a create that went out before the edit, whose fate nobody knew, was handed over again.
  [
    [
      { do: 'kill producer' },
      { do: 'say', message: 2, what: 'change' },
      { do: 'store away', losesAnswers: true },
      { do: 'say', message: 2, what: 'change' },
      { do: 'kill producer' },
    ],
  ],
];

beforeAll(() => void vi.useFakeTimers());
afterAll(() => void vi.useRealTimers());

describe('whatever fails, every message ends as it is, corrected once, nothing twice, for a host that is', () => {
  it.each<[string, Profile]>([
    ['strict', PROFILES.strict],
    ['conservative', PROFILES.conservative],
    ['append-only', { ...PROFILES['append-only'], recognises: 'pushes' }],
  ])(
    `%s, in ${RUNS} random programs`,
    async (_name, profile) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), (steps) => new World(profile).run(steps)),
        { numRuns: RUNS, examples: ONCE_WRONG },
      );
    },
    3_600_000,
  );
});
