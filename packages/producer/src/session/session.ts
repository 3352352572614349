import {
  type CapabilityPath,
  type CoalescingLeaves,
  capabilityDenied,
  DEFAULT_RETRY_WINDOW_MS,
  type DegradationReceipt,
  ErrorCode,
  featureSetNotEnabled,
  featureSetsUpdateParams,
  McplError,
  type McplMethod,
  METHODS,
  type ParamsOf,
  parseParams,
} from '@mcpl-bridges/protocol';
import { type Answer, McplWire } from '@mcpl-bridges/transport';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { nanoid } from 'nanoid';
import type { Log } from '../log.js';
import type { Time } from '../time.js';
import type { Tools } from '../tools.js';
import { CHANNEL_CAPABILITY } from './channel-notifications.js';
import type { Declaration, ManifestChange } from './declaration.js';
import { type Dialect, type HostView, readHost } from './host-view.js';
import { manifestFor } from './manifest.js';
import { legacyGrant, narrow, type ProducerGrant, readPolicy } from './policy.js';

/** The MCP version from which on tools may answer with links to resources. */
const LINKS_SINCE = '2025-06-18';

/** Where a connection stands. Nothing of MCPL works before `ready`. */
export type Phase =
  | { readonly kind: 'handshake' }
  /** The host does not speak MCPL: tools only. */
  | { readonly kind: 'plain-mcp' }
  | { readonly kind: 'awaiting-policy'; readonly host: Extract<HostView, { kind: 'mcpl' }> }
  | { readonly kind: 'ready'; readonly host: Extract<HostView, { kind: 'mcpl' }>; readonly grant: ProducerGrant }
  | { readonly kind: 'closed' };

export interface SessionOptions {
  readonly name: string;
  readonly version: string;
  readonly declaration: Declaration;
  readonly tools: Tools;
  readonly log: Log;
  readonly time: Time;
  /** After how long without a policy the host is called out in the log, ms. */
  readonly policyTimeoutMs: number;
  /** Whether to speak 0.4 to hosts that do. */
  readonly legacyHosts: boolean;
  /** What hosts without MCPL that take channel notifications are told of them; absent: they get tools only. */
  readonly notificationInstructions: string | undefined;
  /** The grant has changed; runs after the receipt is on its way. */
  readonly onPolicy: () => void;
  readonly onClose: () => void;
}

/** One connection to one host: MCP by the SDK, MCPL beside it. */
export class Session {
  readonly id = nanoid();
  phase: Phase = { kind: 'handshake' };
  private readonly server: Server;
  private readonly wire: McplWire;
  private offeredVersion: unknown;
  private isGreeted = false;
  private callOffPolicyTimeout: (() => void) | undefined;

  constructor(
    transport: Transport,
    private readonly options: SessionOptions,
  ) {
    const { name, version, declaration } = options;
    this.wire = new McplWire(transport, {
      request: (params) => this.readInitialize(params),
      result: (result) => this.shapeInitialize(result),
    });
    this.server = new Server(
      { name, version },
      { capabilities: { tools: { listChanged: true }, experimental: { mcpl: declaration.manifest } } },
    );
    this.server.onerror = (error) => options.log.warn({ reason: error.message }, 'a frame was refused');
    this.server.oninitialized = () => this.initialized();
    this.wire.onDisconnect = () => this.closed();
    this.serveTools();
    this.wire.handle('featureSets/update', (params, { isRequest }) => this.updatePolicy(params, isRequest));
    this.wire.handle('mcpl/manifest', () => declaration.manifest);
  }

  async start(): Promise<void> {
    await this.server.connect(this.wire);
  }

  async close(): Promise<void> {
    await this.server.close();
  }

  get leaves(): CoalescingLeaves | undefined {
    return this.phase.kind === 'ready' ? this.phase.host.leaves : undefined;
  }

  get retryWindowMs(): number {
    return this.leaves?.retryWindowMs ?? DEFAULT_RETRY_WINDOW_MS;
  }

  /** Whether the host speaks no MCPL and is told what happens by notifications. */
  get notifies(): boolean {
    return this.isGreeted && this.phase.kind === 'plain-mcp' && this.options.notificationInstructions !== undefined;
  }

  can(capability: CapabilityPath): boolean {
    return this.phase.kind === 'ready' && this.phase.grant.capabilities.has(capability);
  }

  hasFeatureSet(name: string): boolean {
    return this.phase.kind === 'ready' && this.phase.grant.featureSets.has(name);
  }

  /** Serves a host's method, if it is granted now and its params fit (SPEC §5.4). */
  serve<M extends McplMethod>(method: M, capability: CapabilityPath, handler: (params: ParamsOf<M>) => unknown): void {
    this.wire.handle(method, (raw) => {
      if (!this.can(capability)) throw capabilityDenied(capability);
      return handler(parseParams(METHODS[method].params, raw) as ParamsOf<M>);
    });
  }

  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    timeoutMs: number,
    onResult?: (result: Record<string, unknown>, late: boolean) => void,
  ): Promise<Record<string, unknown>> {
    return this.wire.request(method, params, { timeoutMs, ...(onResult ? { onResult } : {}) });
  }

  /** A request whose params are JSON already; see `McplWire.call`. */
  call(method: string, params: string, timeoutMs: number, answered: (answer: Answer) => void): void {
    this.wire.call(method, params, timeoutMs, answered);
  }

  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    this.wire.notify(method, params);
  }

  /** Tells the host that this server is not what it was. */
  announce({ revision, domains }: ManifestChange): void {
    if (this.dialect === '0.5' && 'host' in this.phase) this.wire.notify('mcpl/manifestChanged', { revision, domains });
  }

  private readInitialize(params: Record<string, unknown>): Record<string, unknown> {
    this.offeredVersion = params.protocolVersion;
    const host = readHost(params, this.options.legacyHosts);
    this.phase = host.kind === 'mcpl' ? { kind: 'awaiting-policy', host } : { kind: 'plain-mcp' };
    return params;
  }

  /** Hosts refuse any version but the one they offered, and a plain MCP host has no use for a manifest. */
  private shapeInitialize(result: Record<string, unknown>): Record<string, unknown> {
    const { experimental: _ours, ...capabilities } = result.capabilities as Record<string, unknown>;
    const { notificationInstructions: instructions } = this.options;
    const answer = { ...result, protocolVersion: this.offeredVersion };
    if (this.phase.kind !== 'plain-mcp')
      return { ...answer, capabilities: { ...capabilities, experimental: this.experimental() } };
    if (instructions === undefined) return { ...answer, capabilities };
    return { ...answer, capabilities: { ...capabilities, experimental: CHANNEL_CAPABILITY }, instructions };
  }

  private experimental(): { mcpl: object } {
    return { mcpl: manifestFor(this.options.declaration.manifest, this.dialect) };
  }

  get dialect(): Dialect {
    return 'host' in this.phase ? this.phase.host.dialect : '0.5';
  }

  private initialized(): void {
    this.isGreeted = true;
    if (this.notifies) {
      this.options.log.info({}, 'the host does not speak MCPL: it is told what happens by channel notifications');
      setImmediate(() => this.options.onPolicy());
      return;
    }
    if (this.phase.kind === 'plain-mcp') {
      this.options.log.info({}, 'the host does not speak MCPL: it gets tools, and no messages are delivered to it');
      return;
    }
    if (this.dialect !== '0.5') {
      this.becomeReady(legacyGrant(this.options.declaration.featureSets, {}));
      return;
    }
    // The policy may be here already: MCPL's methods are not looked at behind the SDK's.
    if (this.phase.kind !== 'awaiting-policy') return;
    this.callOffPolicyTimeout = this.options.time.after(this.options.policyTimeoutMs, () =>
      this.options.log.warn(
        { afterMs: this.options.policyTimeoutMs },
        'the host has not sent featureSets/update: messages are held until it does; tools work meanwhile',
      ),
    );
  }

  private updatePolicy(raw: Record<string, unknown>, isRequest: boolean): DegradationReceipt | undefined {
    const params = parseParams(featureSetsUpdateParams, raw);
    if (this.phase.kind !== 'awaiting-policy' && this.phase.kind !== 'ready') return { accepted: true };
    const { host } = this.phase;
    if (this.dialect !== '0.5') {
      this.becomeReady(legacyGrant(this.options.declaration.featureSets, params));
      return { accepted: true };
    }
    if (!isRequest) {
      if (this.phase.kind === 'ready')
        this.phase = {
          kind: 'ready',
          host,
          grant: narrow(this.options.declaration.featureSets, this.phase.grant, params),
        };
      this.options.log.warn({}, 'featureSets/update came as a Notification: only its reductions apply');
      return undefined;
    }
    const { grant, receipt } = readPolicy(this.options.declaration.featureSets, params);
    this.callOffPolicyTimeout?.();
    this.becomeReady(grant);
    this.reportDegradation(grant, receipt);
    return receipt;
  }

  private becomeReady(grant: ProducerGrant): void {
    if (!('host' in this.phase)) return;
    this.phase = { kind: 'ready', host: this.phase.host, grant };
    setImmediate(() => this.options.onPolicy());
  }

  private reportDegradation(grant: ProducerGrant, receipt: DegradationReceipt): void {
    if (!receipt.accepted || receipt.mode !== 'degraded') return;
    const unavailable = receipt.unavailableFeatures ?? [];
    if (grant.capabilities.size === 0)
      this.options.log.warn(
        { missing: [...new Set(unavailable.flatMap((one) => one.missingCapabilities))] },
        'the host denies everything: no message is delivered and no tool works; grant these capabilities to this server',
      );
    else this.options.log.warn({ unavailable }, 'the host grants less than these feature sets need');
  }

  private serveTools(): void {
    this.server.setRequestHandler(ListToolsRequestSchema, async () => ({
      tools: this.toolsDenied() ? [] : this.options.tools.list().filter(({ name }) => !this.disabledSet(name)),
    }));
    this.server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      if (this.toolsDenied()) throw capabilityDenied('tools');
      if (!this.options.tools.list().some((tool) => tool.name === params.name))
        throw new McplError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`, {
          field: 'name',
          reason: 'names no tool',
        });
      const disabled = this.disabledSet(params.name);
      if (disabled !== undefined) throw featureSetNotEnabled(disabled);
      return this.readable(await this.options.tools.call(params.name, params.arguments ?? {}));
    });
  }

  /** Older hosts refuse whole answers for content that they do not know. */
  private readable(result: CallToolResult): CallToolResult {
    if (String(this.offeredVersion) >= LINKS_SINCE) return result;
    return { ...result, content: result.content.filter(({ type }) => type !== 'resource_link') };
  }

  private toolsDenied(): boolean {
    return this.phase.kind === 'ready' && !this.can('tools');
  }

  /** The feature set that a tool belongs to, where the host does not want it. */
  private disabledSet(tool: string): string | undefined {
    const featureSet = this.options.tools.featureSetOf?.(tool);
    if (featureSet === undefined || this.phase.kind !== 'ready') return undefined;
    return this.phase.grant.deselected.has(featureSet) ? featureSet : undefined;
  }

  private closed(): void {
    this.callOffPolicyTimeout?.();
    this.phase = { kind: 'closed' };
    this.options.onClose();
  }
}
