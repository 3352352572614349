import {
  channelsChangedParams,
  channelsRegisterParams,
  type DegradationReceipt,
  type DescriptorResult,
  degradationReceipt,
  ErrorCode,
  type Manifest,
  McplError,
  manifest as manifestSchema,
  methodNotFound,
  parseParams,
  pushRenderResult,
} from '@mcpl-bridges/protocol';
import { McplWire } from '@mcpl-bridges/transport';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Batch } from '../core/batch.js';
import type { RenderEnd } from '../core/deferred.js';
import type { Engine } from '../engine.js';
import { hostAdvertisement, type Profile } from '../profile.js';
import { mayRender, requireCapability, type SessionView } from './admission.js';
import { ChannelRegistry } from './channels.js';
import { computeGrant, type Grant, type OperatorPolicy, policyMessage } from './grant.js';
import { Inbox, type OccurrenceReport } from './inbox.js';

/** The only MCP version hosts of this kind offer; a server must answer exactly this. */
export const OFFERED_PROTOCOL_VERSION = '2024-11-05';

export interface HostSessionOptions {
  readonly serverId: string;
  readonly binding: string;
  readonly profile: Profile;
  readonly policy: OperatorPolicy;
  readonly engine: Engine;
  /** How long the server may take to answer the handshake and the policy, ms. Default 15,000. */
  readonly handshakeTimeoutMs?: number;
  readonly onOccurrence: (report: OccurrenceReport) => void;
  readonly onChannels: (session: HostSession) => void;
  readonly onError: (error: Error) => void;
  readonly onClose: () => void;
}

/** One connection to one server, from `initialize` to its end. */
export class HostSession {
  readonly channels = new ChannelRegistry();
  readonly mcp: Client;
  receipt: DegradationReceipt | undefined;
  private readonly wire: McplWire;
  private readonly opening = new Map<string, Promise<void>>();
  private grant: Grant | undefined;
  private manifest: Manifest | undefined;
  private answeredVersion: unknown;
  private rendering = 0;
  private disconnected = false;

  constructor(
    transport: Transport,
    private readonly options: HostSessionOptions,
  ) {
    this.wire = new McplWire(transport, {
      request: (params) => ({ ...params, protocolVersion: OFFERED_PROTOCOL_VERSION }),
      result: (result) => {
        this.answeredVersion = result.protocolVersion;
        return result;
      },
    });
    this.mcp = new Client({ name: 'mcpl-host', version: '0' }, { capabilities: hostAdvertisement(options.profile) });
    this.wire.onDisconnect = () => {
      this.disconnected = true;
      options.onClose();
    };
    const inbox = new Inbox({ ...options, view: () => this.view() });
    this.wire.handle('push/event', (params) => inbox.pushEvent(params));
    this.wire.handle('channels/incoming', (params) => inbox.incoming(params));
    this.wire.handle('channels/register', (params) => this.register(params));
    this.wire.handle('channels/changed', (params) => this.changed(params));
    this.wire.handle('channels/list', () => {
      requireCapability(this.view(), 'channels.register');
      return { channels: this.channels.all() };
    });
    this.wire.handle('mcpl/manifestChanged', () => ({}));
    this.wire.handle('inference/request', () => {
      if (this.rendering > 0)
        throw new McplError(ErrorCode.InvalidRequest, 'inference/request is refused while a render is under way');
      throw methodNotFound('inference/request');
    });
  }

  get serverId(): string {
    return this.options.serverId;
  }

  /** Handshake and initial policy (SPEC §5.3). @throws when the server does not complete it in time */
  async connect(): Promise<void> {
    const timeout = this.options.handshakeTimeoutMs ?? 15_000;
    await this.mcp.connect(this.wire, { timeout });
    if (this.answeredVersion !== OFFERED_PROTOCOL_VERSION) {
      await this.close();
      throw new Error(
        `server ${this.serverId} answered protocolVersion ${String(this.answeredVersion)} to ${OFFERED_PROTOCOL_VERSION}`,
      );
    }
    this.mcp.onerror = (error) => this.options.onError(error);
    const advertised = this.mcp.getServerCapabilities()?.experimental?.mcpl;
    const parsed = manifestSchema.safeParse(advertised);
    if (!this.options.profile.mcpl || !parsed.success) return;
    this.manifest = parsed.data;
    await this.applyPolicy(this.options.policy);
  }

  /** Tells the server its grant. A reduction binds before it is told, an expansion after its receipt (SPEC §6.7). */
  async applyPolicy(policy: OperatorPolicy): Promise<DegradationReceipt> {
    if (!this.manifest) throw new Error(`server ${this.serverId} does not speak MCPL`);
    const next = computeGrant(this.manifest, this.mcp.getServerCapabilities()?.tools !== undefined, policy);
    if (this.grant) this.grant = intersect(this.grant, next);
    const raw = await this.wire.request('featureSets/update', policyMessage(next, policy), {
      timeoutMs: this.options.handshakeTimeoutMs ?? 15_000,
      // At once: what the server sends right behind its receipt already relies on it.
      onResult: (result) => this.activate(next, result),
    });
    return degradationReceipt.parse(raw);
  }

  private activate(next: Grant, result: Record<string, unknown>): void {
    const receipt = degradationReceipt.safeParse(result);
    this.receipt = receipt.data;
    this.grant = receipt.data?.accepted ? next : undefined;
  }

  /** Opens a channel; a second call while the first is under way shares its answer. */
  openChannel(channelId: string): Promise<void> {
    const underWay = this.opening.get(channelId);
    if (underWay) return underWay;
    const opened = this.wire
      .request('channels/open', { channelId }, { timeoutMs: 30_000 })
      .then(() => this.channels.markOpen(channelId))
      .finally(() => this.opening.delete(channelId));
    this.opening.set(channelId, opened);
    return opened;
  }

  async closeChannel(channelId: string): Promise<void> {
    await this.wire.request('channels/close', { channelId }, { timeoutMs: 30_000 });
    this.channels.markClosed(channelId);
  }

  /** What the server may do now, for the operator; `undefined` before its policy is settled. */
  get granted(): Grant | undefined {
    return this.grant;
  }

  get binding(): string {
    return this.options.binding;
  }

  /**
   * Asks the server for a batch's content (RFC-006 §5.2). Authority is judged before and again at the answer; anything
   * but a usable answer in time is the fallback.
   */
  async render(batch: Batch, timeoutMs: number): Promise<RenderEnd> {
    const { latest } = batch;
    if (latest.treatment.kind !== 'deferred' || !mayRender(this.view(), latest)) return { kind: 'lapsed' };
    const { featureSet, key, scope } = latest.treatment;
    const params = {
      featureSet,
      ...(scope.kind === 'channel' ? { channelId: scope.channelId } : {}),
      key,
      eventId: latest.eventId,
      notices: [...batch.notices],
      dropped: batch.dropped,
    };
    this.rendering += 1;
    try {
      const result = pushRenderResult.parse(await this.wire.request('push/render', params, { timeoutMs }));
      if (!mayRender(this.view(), latest)) return { kind: 'lapsed' };
      const { content, timestamp } = result;
      return { kind: 'rendered', content, ...(timestamp === undefined ? {} : { timestamp }) };
    } catch (error) {
      return mayRender(this.view(), latest) || this.disconnected
        ? { kind: 'fallback', why: (error as Error).message }
        : { kind: 'lapsed' };
    } finally {
      this.rendering -= 1;
    }
  }

  /** Sends an MCPL request to the server as it is; for everything this class has no verb for. */
  request(method: string, params: Record<string, unknown>, timeoutMs = 30_000): Promise<Record<string, unknown>> {
    return this.wire.request(method, params, { timeoutMs });
  }

  notify(method: string, params: Record<string, unknown>): void {
    this.wire.notify(method, params);
  }

  close(): Promise<void> {
    return this.mcp.close();
  }

  private view(): SessionView {
    return {
      binding: this.options.binding,
      grant: this.grant,
      channels: this.channels,
      leaves: this.options.profile.coalescing,
    };
  }

  private register(params: Record<string, unknown>): { results: DescriptorResult[] } {
    const grant = requireCapability(this.view(), 'channels.register');
    const { channels } = parseParams(channelsRegisterParams, params);
    const results = channels.map((raw) => this.channels.register(grant, raw));
    this.announceChannels();
    return { results };
  }

  private changed(params: Record<string, unknown>): { results: DescriptorResult[] } {
    const grant = requireCapability(this.view(), 'channels.register');
    const { added = [], updated = [], removed = [] } = parseParams(channelsChangedParams, params);
    const results = [
      ...[...added, ...updated].map((raw) => this.channels.register(grant, raw)),
      ...removed.map((id) => this.channels.remove(id)),
    ];
    this.announceChannels();
    return { results };
  }

  /** After the answer is on its way, so that an open can never overtake the registration it follows. */
  private announceChannels(): void {
    setImmediate(() => this.options.onChannels(this));
  }
}

const intersect = (a: Grant, b: Grant): Grant => ({
  capabilities: a.capabilities.filter((path) => b.capabilities.includes(path)),
  featureSets: new Map(
    [...a.featureSets].filter(([name, state]) => state === 'enabled' && b.featureSets.get(name) === 'enabled'),
  ),
  allowsChannel: (id) => a.allowsChannel(id) && b.allowsChannel(id),
});
