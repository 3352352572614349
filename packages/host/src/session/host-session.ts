import {
  type ChannelsIncomingResult,
  channelsChangedParams,
  channelsIncomingParams,
  channelsRegisterParams,
  type DegradationReceipt,
  type DescriptorResult,
  degradationReceipt,
  ErrorCode,
  type IncomingResult,
  type Lane,
  type Manifest,
  McplError,
  manifest as manifestSchema,
  methodNotFound,
  type PushEventResult,
  parseParams,
  pushRenderResult,
} from '@mcpl-bridges/protocol';
import { McplWire } from '@mcpl-bridges/transport';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Batch } from '../core/batch.js';
import type { RenderEnd } from '../core/deferred.js';
import type { AdmittedOccurrence } from '../core/occurrence.js';
import type { Receipt } from '../core/receipts.js';
import type { Engine } from '../engine.js';
import { hostAdvertisement, type Profile } from '../profile.js';
import { admitIncoming, admitPush, mayRender, requireCapability, type SessionView } from './admission.js';
import { ChannelRegistry } from './channels.js';
import { computeGrant, type Grant, type OperatorPolicy, policyMessage } from './grant.js';

/** The only MCP version hosts of this kind offer; a server must answer exactly this. */
export const OFFERED_PROTOCOL_VERSION = '2024-11-05';

/** What was decided about one occurrence that arrived. */
export interface OccurrenceReport {
  readonly serverId: string;
  readonly eventId: string;
  readonly lane: Lane;
  readonly channelId: string | null;
  readonly key: string | null;
  /** The RFC-006 outcome, `duplicate`, `accepted` for an ordinary one, or `refused`. */
  readonly outcome: string;
  readonly reason?: string;
}

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
    this.wire.handle('push/event', (params) => this.pushEvent(params));
    this.wire.handle('channels/incoming', (params) => this.incoming(params));
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

  private pushEvent(params: Record<string, unknown>): PushEventResult | Promise<PushEventResult> {
    let occurrence: AdmittedOccurrence;
    try {
      occurrence = admitPush(this.view(), params);
    } catch (error) {
      if (error instanceof McplError) this.reportRefusal('push/event', params, error.message);
      throw error;
    }
    const { receipt, durable } = this.admit('push/event', occurrence);
    const result = { accepted: true, ...receipt };
    return durable ? durable.then(() => result) : result;
  }

  private async incoming(params: Record<string, unknown>): Promise<ChannelsIncomingResult> {
    const view = this.view();
    requireCapability(view, 'channels.incoming');
    const { messages } = parseParams(channelsIncomingParams, params);
    const admitted = messages.map((message) => this.incomingMessage(view, message));
    await Promise.all(admitted.map(({ durable }) => durable));
    return { results: admitted.map(({ result }) => result) };
  }

  private incomingMessage(
    view: SessionView,
    raw: unknown,
  ): { result: IncomingResult; durable?: Promise<void> | undefined } {
    const admission = admitIncoming(view, raw);
    const { messageId } = admission;
    if (admission.kind === 'refused') {
      this.reportRefusal('channels/incoming', (raw ?? {}) as Record<string, unknown>, admission.reason);
      return { result: { messageId, accepted: false, reason: admission.reason } };
    }
    const { receipt, durable } = this.admit('channels/incoming', admission.occurrence);
    return { result: { messageId, accepted: true, ...receipt }, durable };
  }

  /** Lets the engine decide, tells the operator, and returns what to answer and what to wait for first. */
  private admit(lane: Lane, occurrence: AdmittedOccurrence): { receipt: Receipt; durable: Promise<void> | undefined } {
    const windowMs = this.options.profile.coalescing?.retryWindowMs ?? 0;
    const { kind, receipt, durable } = this.options.engine.admit(occurrence, windowMs);
    const { treatment } = occurrence;
    const scope = treatment.kind === 'ordinary' ? undefined : treatment.scope;
    this.options.onOccurrence({
      serverId: this.serverId,
      eventId: occurrence.eventId,
      lane,
      channelId: scope?.kind === 'channel' ? scope.channelId : (occurrence.message?.channelId ?? null),
      key: treatment.kind === 'ordinary' ? null : treatment.key,
      outcome: kind === 'duplicate' ? 'duplicate' : (receipt.coalesce?.outcome ?? 'accepted'),
    });
    return { receipt, durable };
  }

  private reportRefusal(lane: Lane, raw: Record<string, unknown>, reason: string): void {
    const coalesce = raw.coalesce as { key?: unknown; channelId?: unknown } | undefined;
    const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
    this.options.onOccurrence({
      serverId: this.serverId,
      eventId: text(raw.eventId) ?? '',
      lane,
      channelId: text(raw.channelId) ?? text(coalesce?.channelId),
      key: text(coalesce?.key),
      outcome: 'refused',
      reason,
    });
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
