import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CoalescingLeaves } from '@mcpl-bridges/protocol';
import type {
  HostCommand,
  HostDriver,
  HostState,
  Observed,
  RunningHost,
  ServerPolicy,
  ServerSetup,
  WakeRule,
} from './host-port.js';
import { type Rendered, type RenderPlan, type Reply, SyntheticServer } from './synthetic-server.js';

export interface ScenarioOptions {
  /** Default: one, `agent`. */
  readonly agents?: readonly string[] | undefined;
  /** The first is the one meant where none is named. Default: one, `editor`. */
  readonly serverIds?: readonly string[] | undefined;
  readonly leaves?: Partial<CoalescingLeaves> | undefined;
  /** Every process but the first delivers as ordinary what it finds unread. Default false. */
  readonly sealed?: boolean | undefined;
  readonly maxSubjects?: number | undefined;
  readonly wake?: readonly WakeRule[] | undefined;
  readonly losesFirstAnswerTo?: string | undefined;
}

/** How long a render may take in a scenario, ms: long enough to be overtaken, short enough to be waited for. */
const RENDER_TIMEOUT_MS = 700;

/** A host process with its servers, from the first step of a scenario to the last. */
export class Scenario {
  readonly observed: Observed = { requests: [], wakes: [], modelFailures: 0 };
  readonly renders: Rendered[] = [];
  private readonly root = mkdtempSync(join(tmpdir(), 'mcpl-conformance-'));
  private readonly servers = new Map<string, SyntheticServer>();
  private readonly setups = new Map<string, ServerSetup>();
  private readonly strays: SyntheticServer[] = [];
  private host: RunningHost | undefined;
  private generation = 0;
  private clockOffsetMs = 0;
  private underWay: Promise<string | null> | undefined;

  private constructor(
    private readonly driver: HostDriver,
    private readonly options: ScenarioOptions,
  ) {}

  static async open(driver: HostDriver, options: ScenarioOptions = {}): Promise<Scenario> {
    const scenario = new Scenario(driver, options);
    try {
      for (const id of scenario.serverIds) await scenario.addServer(id);
      await scenario.startHost();
    } catch (error) {
      await scenario.close();
      throw error;
    }
    return scenario;
  }

  get agents(): readonly string[] {
    return this.options.agents ?? ['agent'];
  }

  private get serverIds(): readonly string[] {
    return this.options.serverIds ?? ['editor'];
  }

  async send(method: string, params: Record<string, unknown>, serverId = this.mainId): Promise<Reply> {
    return this.server(serverId).send(method, params);
  }

  register(channelId: string, serverId = this.mainId): Promise<Reply> {
    return this.server(serverId).register(channelId);
  }

  run<T = unknown>(command: HostCommand): Promise<T> {
    if (!this.host) throw new Error('no host is running');
    return this.host.run<T>(command);
  }

  idle(): Promise<void> {
    return this.run({ op: 'idle' });
  }

  plan(plan: RenderPlan): void {
    for (const server of this.servers.values()) server.plan = plan;
  }

  release(text: string): void {
    this.server(this.mainId).release(text);
  }

  async setPolicy(policy: ServerPolicy): Promise<void> {
    this.remember(this.mainId, { policy });
    await this.run({ op: 'policy', id: this.mainId, policy });
  }

  async channel(channelId: string, open: boolean): Promise<void> {
    await this.run({ op: 'channel', id: this.mainId, channelId, open });
  }

  async disconnect(): Promise<void> {
    await this.server(this.mainId).disconnect();
  }

  async reconnect(retryWindowMs?: number): Promise<void> {
    if (retryWindowMs !== undefined) this.remember(this.mainId, { retryWindowMs });
    await this.connect(this.mainId);
  }

  /** The same label, another endpoint behind it. */
  async reassign(): Promise<void> {
    await this.server(this.mainId).disconnect();
    this.strays.push(this.server(this.mainId));
    await this.addServer(this.mainId);
    await this.connect(this.mainId);
  }

  /** The servers see the host go away, and come back. */
  async restart(how: { readonly kill: boolean; readonly keepHistory: boolean }): Promise<void> {
    if (how.kill) await this.host?.kill();
    else await this.host?.stop();
    this.underWay = undefined;
    if (!how.keepHistory) this.generation += 1;
    await this.startHost();
  }

  async advanceClock(ms: number): Promise<void> {
    this.clockOffsetMs += ms;
    await this.run({ op: 'advanceClock', ms });
  }

  infer(agents: readonly string[], onlyForNews: boolean): Promise<string | null> {
    return this.run<string | null>({ op: 'infer', agents, onlyForNews });
  }

  begin(agents: readonly string[]): void {
    this.underWay = this.infer(agents, true);
    this.underWay.catch(() => {});
  }

  async join(): Promise<string | null> {
    return (await this.underWay) ?? null;
  }

  state(): Promise<HostState> {
    return this.run<HostState>({ op: 'observe' });
  }

  async close(): Promise<void> {
    await this.host?.kill();
    for (const server of [...this.servers.values(), ...this.strays]) await server.close();
    rmSync(this.root, { recursive: true, force: true });
  }

  private get mainId(): string {
    return this.serverIds[0] ?? 'editor';
  }

  private server(id: string): SyntheticServer {
    const server = this.servers.get(id);
    if (!server) throw new Error(`no server ${id}`);
    return server;
  }

  private async addServer(id: string): Promise<void> {
    const server = await SyntheticServer.start(id, this.renders);
    this.servers.set(id, server);
    const { losesFirstAnswerTo } = this.options;
    this.setups.set(id, { id, policy: {}, losesFirstAnswerTo, ...this.setups.get(id), url: server.url });
  }

  private remember(id: string, change: Partial<ServerSetup>): void {
    this.setups.set(id, { ...this.setup(id), ...change });
  }

  private setup(id: string): ServerSetup {
    const setup = this.setups.get(id);
    if (!setup) throw new Error(`no server ${id}`);
    return setup;
  }

  private async startHost(): Promise<void> {
    const { sealed = false, maxSubjects, leaves = {}, wake } = this.options;
    const setup = {
      profile: this.driver.profile,
      agents: this.agents,
      sealed: sealed && this.host !== undefined,
      maxSubjects,
      leaves,
      wake,
      renderTimeoutMs: RENDER_TIMEOUT_MS,
      stateDir: join(this.root, `state-${this.generation}`),
      clockOffsetMs: this.clockOffsetMs,
    };
    this.host = await this.driver.start(setup, this.observed);
    for (const id of this.servers.keys()) await this.connect(id);
  }

  private async connect(id: string): Promise<void> {
    const ready = this.server(id).whenReady();
    await this.run({ op: 'connect', server: this.setup(id) });
    await ready;
    // A fault befalls the first connection only.
    this.remember(id, { losesFirstAnswerTo: undefined });
  }
}
