import {
  type ChannelDescriptor,
  type DegradationReceipt,
  degradationReceipt,
  ErrorCode,
  type Manifest,
  McplError,
  METHODS,
  methodNotFound,
} from '@mcpl-bridges/protocol';
import { type McplHandler, McplWire, pausable } from '@mcpl-bridges/transport';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Batch } from '../core/batch.js';
import type { RenderEnd } from '../core/deferred.js';
import type { Engine } from '../engine.js';
import { type ChangeReceipt, impactsOf, type ManifestImpact } from '../manifest/manifest-change.js';
import { ManifestWatch } from '../manifest/manifest-watch.js';
import { readManifest } from '../manifest/read-manifest.js';
import { hostAdvertisement, type Profile } from '../profile.js';
import { Outgoing } from '../publish/outgoing.js';
import { requireCapability, type SessionView } from './admission.js';
import { Backpressure } from './backpressure.js';
import { type ChannelTarget, ChannelVerbs } from './channel-verbs.js';
import { ChannelRegistry } from './channels.js';
import { EarlyTraffic } from './early-traffic.js';
import type { Faults } from './faults.js';
import { computeGrant, type Grant, intersectGrants, type OperatorPolicy, sameGrant } from './grant.js';
import { Inbox, type OccurrenceReport } from './inbox.js';
import { PolicyExchange } from './policy-exchange.js';
import { Registration } from './registration.js';
import { RenderRequests } from './render-request.js';

/** The only MCP version hosts of this kind offer; a server must answer exactly this. */
export const OFFERED_PROTOCOL_VERSION = '2024-11-05';

export interface HostSessionOptions {
  readonly serverId: string;
  readonly binding: string;
  readonly profile: Profile;
  readonly policy: OperatorPolicy;
  readonly engine: Engine;
  readonly faults: Faults;
  /** How long the server may take to answer the handshake and the policy, ms. Default 15,000. */
  readonly handshakeTimeoutMs?: number | undefined;
  /** On a host that holds early traffic: how long after the policy it is let in, ms. Default 0. */
  readonly holdMs?: number | undefined;
  /** Shortest time between two fetches of the manifest, ms. Default 2,000. */
  readonly manifestIntervalMs?: number | undefined;
  /** Tag globs that consumers' rules name. */
  readonly referencedTags: readonly string[];
  readonly onOccurrence: (report: OccurrenceReport) => void;
  readonly onChannels: (session: HostSession) => void;
  readonly onChange: (receipt: ChangeReceipt) => void;
  readonly onError: (error: Error) => void;
  readonly onClose: () => void;
}

/** One connection to one server, from `initialize` to its end. */
export class HostSession {
  readonly channels = new ChannelRegistry();
  readonly mcp: Client;
  readonly outgoing: Outgoing;
  receipt: DegradationReceipt | undefined;
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>;
  private tellClosed: () => void = () => {};
  private readonly wire: McplWire;
  private readonly verbs: ChannelVerbs;
  private readonly backpressure: Backpressure;
  private readonly early = new EarlyTraffic();
  private readonly renders: RenderRequests;
  private readonly watch: ManifestWatch;
  private readonly exchange: PolicyExchange;
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly served = new Set<string>();
  private manifest: Manifest | undefined;
  private policy: OperatorPolicy;
  private grant: Grant | undefined;
  private answeredVersion: unknown;

  constructor(
    transport: Transport,
    private readonly options: HostSessionOptions,
  ) {
    const { profile, faults } = options;
    this.policy = options.policy;
    this.backpressure = new Backpressure(pausable(transport));
    this.closed = new Promise((resolve) => {
      this.tellClosed = resolve;
    });
    this.wire = new McplWire(transport, {
      request: (params) => ({ ...params, protocolVersion: OFFERED_PROTOCOL_VERSION }),
      result: (result) => {
        this.answeredVersion = result.protocolVersion;
        return result;
      },
    });
    this.mcp = new Client({ name: 'mcpl-host', version: '0' }, { capabilities: hostAdvertisement(profile) });
    this.wire.onDisconnect = () => this.ended();
    const view = (): SessionView => this.view();
    this.verbs = new ChannelVerbs(this.wire, this.channels);
    this.outgoing = new Outgoing(this.wire, this.channels, view);
    this.renders = new RenderRequests(this.wire, view, faults.renders === 'given-up');
    this.exchange = new PolicyExchange(this.wire, options.handshakeTimeoutMs ?? 15_000);
    this.watch = new ManifestWatch({
      intervalMs: options.manifestIntervalMs ?? 2000,
      sooner: profile.manifestChanges,
      fetch: () => this.wire.request('mcpl/manifest', {}, { timeoutMs: 15_000 }),
      read: (raw) => readManifest(raw, profile.featureSets),
      adopt: (manifest, revision) => this.adopt(manifest, revision),
      onDefect: options.onError,
    });
    this.serveAll(view);
  }

  get serverId(): string {
    return this.options.serverId;
  }

  get binding(): string {
    return this.options.binding;
  }

  /** What the server may do now, for the operator; `undefined` before its policy is settled. */
  get granted(): Grant | undefined {
    return this.grant;
  }

  /** Handshake and initial policy (SPEC §5.3). @throws when the server does not complete it in time */
  async connect(): Promise<void> {
    await this.mcp.connect(this.wire, { timeout: this.options.handshakeTimeoutMs ?? 15_000 });
    this.mcp.onerror = (error) => this.options.onError(error);
    try {
      await this.begin();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  private async begin(): Promise<void> {
    const { profile } = this.options;
    if (this.answeredVersion !== OFFERED_PROTOCOL_VERSION)
      throw new Error(
        `server ${this.serverId} answered protocolVersion ${String(this.answeredVersion)} to ${OFFERED_PROTOCOL_VERSION}`,
      );
    if (profile.mcpl === undefined) return;
    const advertised = this.mcp.getServerCapabilities()?.experimental?.mcpl;
    this.manifest = readManifest(advertised, profile.featureSets);
    if (!this.manifest) return;
    this.watch.seed(advertised);
    await this.initialPolicy();
    if (profile.early === 'held') this.later(this.options.holdMs ?? 0, () => this.early.release());
  }

  private async initialPolicy(): Promise<void> {
    const { profile, faults } = this.options;
    const next = this.computeGrant();
    if (profile.policy !== 'request') {
      // Nobody asks a 0.4 server: what it advertises is what it may do.
      if (profile.policy === 'notification') this.exchange.notify(this.policy);
      this.grant = next;
      return;
    }
    switch (faults.policy) {
      case undefined:
        await this.applyPolicy(this.policy);
        return;
      case 'absent':
        return;
      case 'notification':
        this.exchange.announce(next, this.policy);
        return;
      case 'empty':
        this.grant = await this.exchange.tellNothing();
        return;
      case 'malformed':
        await this.exchange.tellContradiction(next, this.policy);
        return;
      default:
        this.later(faults.policy.lateMs, () => {
          this.applyPolicy(this.policy).catch((error: Error) => this.options.onError(error));
        });
    }
  }

  /** Tells the server its grant. A reduction binds before it is told, an expansion after its receipt (SPEC §6.7). */
  async applyPolicy(policy: OperatorPolicy): Promise<DegradationReceipt> {
    this.policy = policy;
    const next = this.computeGrant();
    if (this.grant) this.grant = intersectGrants(this.grant, next);
    const raw = await this.exchange.tell(next, policy, (result) => {
      const receipt = degradationReceipt.safeParse(result);
      this.receipt = receipt.data;
      this.grant = receipt.data?.accepted ? next : undefined;
    });
    return degradationReceipt.parse(raw);
  }

  private computeGrant(): Grant {
    if (!this.manifest) throw new Error(`server ${this.serverId} does not speak MCPL`);
    const dialect = this.options.profile.mcpl === '0.4' ? 'as-advertised' : 'derived';
    return computeGrant(this.manifest, this.offersTools, this.policy, dialect);
  }

  private get offersTools(): boolean {
    return this.mcp.getServerCapabilities()?.tools !== undefined;
  }

  /** A manifest that was fetched takes the place of the one in force (SPEC §17.5). */
  private async adopt(manifest: Manifest, revision: string): Promise<void> {
    const before = { manifest: this.manifest, grant: this.grant };
    this.manifest = manifest;
    if (!before.manifest || !before.grant) return;
    const after = { manifest, grant: this.computeGrant() };
    const standing = { manifest: before.manifest, grant: before.grant };
    const impacts = impactsOf(standing, after, this.offersTools, this.options.referencedTags);
    try {
      if (!sameGrant(standing.grant, after.grant)) await this.applyPolicy(this.policy);
    } finally {
      this.options.onChange({ revision, impacts });
    }
  }

  private surfaceChanged(subject: string): void {
    const impact: ManifestImpact = { impact: 'surface-changed', subject, disposition: 'informational' };
    this.options.onChange({ revision: this.watch.revision ?? '', impacts: [impact] });
  }

  /** Opens a channel and returns its id; a second call while the first is under way shares its answer. */
  openChannel(target: ChannelTarget): Promise<string> {
    return this.verbs.open(target);
  }

  closeChannel(channelId: string): Promise<void> {
    return this.verbs.close(channelId);
  }

  /** What the server says that it has, registered here or not. */
  listChannels(): Promise<readonly ChannelDescriptor[]> {
    return this.verbs.list();
  }

  /** Asks the server for a batch's content (RFC-006 §5.2). */
  render(batch: Batch, timeoutMs: number): Promise<RenderEnd> {
    return this.renders.ask(batch, timeoutMs);
  }

  /** Sends an MCPL request to the server as it is; for everything this class has no verb for. */
  request(method: string, params: Record<string, unknown>, timeoutMs = 30_000): Promise<Record<string, unknown>> {
    return this.wire.request(method, params, { timeoutMs });
  }

  close(): Promise<void> {
    return this.mcp.close();
  }

  private view(): SessionView {
    const { binding, profile } = this.options;
    return { binding, grant: this.grant, channels: this.channels, profile };
  }

  private serveAll(view: () => SessionView): void {
    const { options } = this;
    const inbox = new Inbox({ ...options, view, backpressure: this.backpressure });
    const registration = new Registration({
      channels: this.channels,
      view,
      answers: options.profile.registration,
      descriptors: options.faults.descriptors,
      // After the answer is on its way, so that an open can never overtake the registration it follows.
      onChange: () => void setImmediate(() => options.onChannels(this)),
      onDefect: options.onError,
    });
    this.serve('push/event', (params) => inbox.pushEvent(params));
    this.serve('channels/incoming', (params) => inbox.incoming(params));
    this.serve('channels/register', (params) => registration.register(params));
    this.serve('channels/changed', (params, { isRequest }) => {
      const answer = registration.changed(params, isRequest);
      this.surfaceChanged('channels');
      return answer;
    });
    this.serve('channels/list', () => {
      requireCapability(view(), 'channels.register');
      return { channels: this.channels.all() };
    });
    this.serve('mcpl/manifestChanged', (params) => this.watch.announced(params));
    this.serve('inference/request', () => {
      if (this.renders.any)
        throw new McplError(ErrorCode.InvalidRequest, 'inference/request is refused while a render is under way');
      throw methodNotFound('inference/request');
    });
    this.mcp.setNotificationHandler(ToolListChangedNotificationSchema, () => this.surfaceChanged('tools'));
    if (options.profile.unknownMethods === 'unanswered') this.answerNothingElse();
  }

  private serve(method: string, handler: McplHandler): void {
    this.served.add(method);
    const { profile, faults } = this.options;
    const faulty = faults.around(method, handler, () => void this.close());
    this.wire.handle(method, profile.early === 'held' ? this.early.around(method, faulty) : faulty);
  }

  private answerNothingElse(): void {
    const never = (): Promise<never> => new Promise(() => {});
    for (const method of Object.keys(METHODS)) if (!this.served.has(method)) this.wire.handle(method, never);
    this.mcp.fallbackRequestHandler = never;
  }

  private later(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      run();
    }, ms);
    this.timers.add(timer);
  }

  private ended(): void {
    this.watch.stop();
    for (const timer of this.timers) clearTimeout(timer);
    this.options.onClose();
    this.tellClosed();
  }
}
