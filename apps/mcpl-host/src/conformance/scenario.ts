import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WakePolicy } from '@mcpl-bridges/host';
import { HostProcess, type Observed } from './host-process.js';
import type { HostState, ServerSetup, WorkerCommand, WorkerSetup } from './messages.js';
import { type Rendered, type RenderPlan, type Reply, SyntheticServer } from './synthetic-server.js';

export interface ScenarioOptions {
  readonly agents: readonly string[];
  readonly serverIds: readonly string[];
  readonly channelScopedPush: boolean;
  readonly sealed: boolean;
  readonly maxSubjects: number | undefined;
  readonly wake: WakePolicy | undefined;
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
  private host: HostProcess | undefined;
  private generation = 0;
  private clockOffsetMs = 0;
  private underWay: Promise<string | null> | undefined;

  private constructor(private readonly options: ScenarioOptions) {}

  static async open(options: ScenarioOptions): Promise<Scenario> {
    const scenario = new Scenario(options);
    for (const id of options.serverIds) await scenario.addServer(id);
    await scenario.startHost();
    return scenario;
  }

  async send(method: string, params: Record<string, unknown>, serverId = this.mainId): Promise<Reply> {
    return this.server(serverId).send(method, params);
  }

  register(channelId: string, serverId = this.mainId): Promise<Reply> {
    return this.server(serverId).register(channelId);
  }

  run<T = unknown>(command: WorkerCommand): Promise<T> {
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

  async setPolicy(policy: ServerSetup['policy']): Promise<void> {
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
    return this.options.serverIds[0] ?? 'editor';
  }

  private server(id: string): SyntheticServer {
    const server = this.servers.get(id);
    if (!server) throw new Error(`no server ${id}`);
    return server;
  }

  private async addServer(id: string): Promise<void> {
    const server = await SyntheticServer.start(id, this.renders);
    this.servers.set(id, server);
    this.setups.set(id, { id, policy: {}, ...this.setups.get(id), url: server.url });
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
    const { agents, sealed, maxSubjects, channelScopedPush, wake } = this.options;
    const setup: WorkerSetup = {
      agents,
      sealed: sealed && this.host !== undefined,
      maxSubjects,
      channelScopedPush,
      wake,
      renderTimeoutMs: RENDER_TIMEOUT_MS,
      stateDir: join(this.root, `state-${this.generation}`),
      clockOffsetMs: this.clockOffsetMs,
    };
    this.host = await HostProcess.start(setup, this.observed);
    for (const id of this.servers.keys()) await this.connect(id);
  }

  private async connect(id: string): Promise<void> {
    const ready = this.server(id).whenReady();
    await this.run({ op: 'connect', server: this.setup(id) });
    await ready;
  }
}
