import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { HostState, Observed, RunningHost } from '@mcpl-bridges/conformance';
import { processDriver } from 'mcpl-host/conformance';
import { describe, expect, it } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { type Cable, freePort, layCable } from '../helpers/network.js';
import { randomOf } from '../helpers/random.js';
import { RedisServer } from '../helpers/redis-server.js';

/** How often something is killed or cut, a store; `npm run soak` asks for more. */
const KILLS = Number(process.env.MCPL_KILLS ?? 6);
const SEED = Number(process.env.MCPL_SEED ?? Date.now() % 1_000_000);
const CHANNEL = 'chat:room';
const EVENTS_A_ROUND = 40;
const SCRIPT = fileURLToPath(new URL('./support/chatting-producer.mjs', import.meta.url));

interface PlatformEvent {
  readonly n: number;
  readonly action: 'create' | 'edit' | 'delete';
  readonly messageId: string;
  readonly text: string;
  readonly revision?: string;
}

/** A chat as it really is, and what of it has not been stored by the producer. */
class Platform {
  readonly messages: { readonly texts: string[]; gone: boolean }[] = [];
  readonly unstored = new Map<number, PlatformEvent>();
  private n = 0;

  constructor(private readonly random: () => number) {}

  happen(): PlatformEvent {
    const alive = this.messages.flatMap(({ gone }, id) => (gone ? [] : [id]));
    const id = alive[Math.floor(this.random() * alive.length * 1.6)];
    const event = id === undefined ? this.create() : this.random() < 0.25 ? this.delete(id) : this.edit(id);
    this.unstored.set(event.n, event);
    return event;
  }

  private create(): PlatformEvent {
    const id = this.messages.length;
    const text = `message ${id} version 0`;
    this.messages.push({ texts: [text], gone: false });
    return { n: this.n++, action: 'create', messageId: String(id), text };
  }

  private edit(id: number): PlatformEvent {
    const { texts } = this.messages[id] as (typeof this.messages)[number];
    const text = `message ${id} version ${texts.length}`;
    texts.push(text);
    return { n: this.n++, action: 'edit', messageId: String(id), text, revision: `r${texts.length}` };
  }

  private delete(id: number): PlatformEvent {
    const message = this.messages[id] as (typeof this.messages)[number];
    message.gone = true;
    const text = `message ${id} gone`;
    message.texts.push(text);
    return { n: this.n++, action: 'delete', messageId: String(id), text };
  }
}

interface ProducerState {
  readonly backlog: number;
  readonly letters: readonly { readonly reason: string }[];
}

/** A producer, a host, and a network between them, each of which comes back whenever it is gone. */
class World {
  private producer: ChildProcess | undefined;
  private host: RunningHost | undefined;
  private readonly observed: Observed = { requests: [], wakes: [], modelFailures: 0 };
  private ended = false;

  private constructor(
    readonly platform: Platform,
    private readonly store: string,
    private readonly port: number,
    readonly cable: Cable,
    private readonly stateDir: string,
  ) {}

  static async start(platform: Platform, store: string): Promise<World> {
    const port = await freePort();
    const stateDir = mkdtempSync(join(tmpdir(), 'mcpl-chaos-'));
    const world = new World(platform, store, port, await layCable(port), stateDir);
    afterThisTest(async () => {
      world.ended = true;
      world.producer?.kill('SIGKILL');
      await world.host?.kill();
      rmSync(stateDir, { recursive: true, force: true });
    });
    await Promise.all([world.startProducer(), world.startHost()]);
    void world.keepConnected();
    return world;
  }

  async startProducer(): Promise<void> {
    const setup = JSON.stringify({ store: this.store, port: this.port, channel: CHANNEL });
    const child = fork(SCRIPT, [setup], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.on('error', () => {});
    child.on('message', (message: { kind: string; n: number }) => {
      if (message.kind === 'stored') this.platform.unstored.delete(message.n);
    });
    await new Promise<void>((resolve, reject) => {
      child.on('message', (message: { kind: string }) => message.kind === 'ready' && resolve());
      child.once('exit', (code) => reject(new Error(`the producer ended with ${code}`)));
    });
    this.producer = child;
    // What is not known to be stored happened all the same: it is handed over again, before anything new.
    for (const event of this.platform.unstored.values()) this.handOver(event);
  }

  async killProducer(): Promise<void> {
    const { producer } = this;
    this.producer = undefined;
    if (!producer) return;
    const exited = once(producer, 'exit');
    producer.kill('SIGKILL');
    await exited;
  }

  async startHost(): Promise<void> {
    const setup = {
      profile: 'strict',
      agents: ['agent'],
      stateDir: this.stateDir,
      sealed: false,
      maxSubjects: undefined,
      renderTimeoutMs: 5000,
      leaves: {},
      wake: undefined,
      clockOffsetMs: 0,
    };
    this.host = await processDriver('strict').start(setup, this.observed);
  }

  async killHost(): Promise<void> {
    const { host } = this;
    this.host = undefined;
    await host?.kill();
  }

  handOver(event: PlatformEvent): void {
    if (this.producer?.connected) this.producer.send(event, () => {});
  }

  async read(): Promise<string[]> {
    await this.host?.run({ op: 'consume', agent: 'agent' });
    const state = await this.host?.run<HostState>({ op: 'observe' });
    return (state?.contexts.agent ?? []).map(({ content }) => content);
  }

  async producerState(): Promise<ProducerState> {
    const child = this.producer as ChildProcess;
    const answer = new Promise<ProducerState>((resolve) => {
      const listen = (message: { kind: string } & ProducerState): void => {
        if (message.kind !== 'state') return;
        child.off('message', listen);
        resolve(message);
      };
      child.on('message', listen);
    });
    child.send({ kind: 'state' });
    return answer;
  }

  /** The host dials again and again, as hosts do. */
  private async keepConnected(): Promise<void> {
    const server = { id: 'chat', url: `ws://127.0.0.1:${this.cable.port}`, policy: {} };
    while (!this.ended) {
      try {
        const state = await this.host?.run<HostState>({ op: 'observe' });
        if (state && !state.servers.chat?.connected) {
          await this.host?.run({ op: 'connect', server });
          await this.host?.run({ op: 'channel', id: 'chat', channelId: CHANNEL, open: true });
        }
      } catch {
        // One of the two is not there; soon it will be.
      }
      await sleep(30);
    }
  }
}

/** What is read of each message: a part of its history in order, nothing twice, with its present state last. */
const judge = (platform: Platform, read: readonly string[]): void => {
  for (const [id, { texts, gone }] of platform.messages.entries()) {
    const mine = read.filter((text) => text.startsWith(`message ${id} `));
    expect(mine).toEqual([...new Set(mine)].sort((a, b) => texts.indexOf(a) - texts.indexOf(b)));
    if (!gone || mine.length > 0) expect(mine.at(-1)).toBe(texts.at(-1));
  }
};

const run = async (store: string, disasters: (world: World) => readonly (() => Promise<void>)[]): Promise<void> => {
  const random = randomOf(SEED);
  const world = await World.start(new Platform(random), store);
  const all = disasters(world);
  for (let round = 0; round < KILLS; round++) {
    const disaster = all[round % all.length] as () => Promise<void>;
    let happened: Promise<void> | undefined;
    const at = Math.floor(random() * EVENTS_A_ROUND);
    for (let i = 0; i < EVENTS_A_ROUND; i++) {
      world.handOver(world.platform.happen());
      if (i === at) happened = disaster();
      await sleep(random() * 3);
    }
    await happened;
    if (random() < 0.5) await world.read().catch(() => []);
  }
  await expect.poll(() => world.platform.unstored.size, { timeout: 60_000 }).toBe(0);
  await expect.poll(async () => (await world.producerState()).backlog, { timeout: 60_000, interval: 100 }).toBe(0);
  judge(world.platform, await world.read());
  expect((await world.producerState()).letters).toEqual([]);
};

const common = (world: World): (() => Promise<void>)[] => [
  async () => {
    await world.killProducer();
    await world.startProducer();
  },
  async () => {
    await world.killHost();
    await world.startHost();
  },
  async () => world.cable.cut(),
];

describe(`whatever is killed or cut, ${KILLS} times (seed ${SEED})`, () => {
  const timeout = 120_000 + KILLS * 6000;

  it(
    'nothing is lost, doubled or out of order with LMDB',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mcpl-chaos-'));
      afterThisTest(async () => rmSync(folder, { recursive: true, force: true }));
      await run(`lmdb:${folder}`, common);
    },
    timeout,
  );

  it(
    'nothing is lost, doubled or out of order with Redis, which is killed and cut, too',
    async () => {
      const redis = await RedisServer.start();
      afterThisTest(() => redis.stop());
      const cable = await layCable(redis.port);
      await run(`redis://127.0.0.1:${cable.port}?lease=1000`, (world) => [
        ...common(world),
        async () => {
          await redis.kill();
          await redis.up();
        },
        async () => cable.cut(),
      ]);
    },
    timeout,
  );
});
