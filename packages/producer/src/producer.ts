import {
  type ChannelDescriptor,
  type ChannelsOpenParams,
  type ChannelsPublishParams,
  type ChannelsPublishResult,
  type DescriptorResult,
  ErrorCode,
  type FeatureSet,
  McplError,
  publishTargetProblem,
  unknownChannel,
} from '@mcpl-bridges/protocol';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Callbacks } from './callbacks.js';
import { ChannelTable } from './channel-table.js';
import { type Log, silentLog } from './log.js';
import { MessageSubject } from './message-subject.js';
import { chooseRoute, type Route } from './occurrence/lane.js';
import type { Occurrence } from './occurrence/occurrence.js';
import type { WireForm } from './occurrence/wire-form.js';
import type { Sender } from './outbox/channel-queue.js';
import { Outbox } from './outbox/outbox.js';
import { buildManifest } from './session/manifest.js';
import { type Phase, Session } from './session/session.js';
import type { Store } from './store/store.js';
import { systemTime, type Time } from './time.js';
import type { Tools } from './tools.js';

export interface ProducerOptions {
  /** Server name in the MCP handshake. */
  readonly name: string;
  readonly version: string;
  /** First part of every occurrence id, e.g. `discord`. */
  readonly platform: string;
  readonly featureSets: Readonly<Record<string, FeatureSet>>;
  /** The feature set that pushes of messages belong to; a key of `featureSets`. */
  readonly messagingFeatureSet: string;
  readonly store: Store;
  readonly tools: Tools;
  readonly callbacks: Callbacks;
  readonly log?: Log;
  readonly time?: Time;
  /** In [0, 1); for backoff. Default `Math.random`. */
  readonly random?: () => number;
  /** How long the host may take to answer a request, ms. Default 60,000. Late answers still count. */
  readonly requestTimeoutMs?: number;
  /** After how long without a policy the host is called out in the log, ms. Default 15,000. */
  readonly policyTimeoutMs?: number;
}

/** A channel's place in the producer. */
export interface Channel {
  readonly id: string;
  /** The host has opened it. */
  isOpen(): boolean;
  /** The life of one message. @throws RangeError when the id makes a key over 256 bytes */
  message(messageId: string): MessageSubject;
}

/**
 * A server's whole side of MCPL: channels, messages and their edits and deletes, one host at a time. What is handed
 * over while no host is there, or while it grants nothing, waits in the outbox.
 */
export class Producer {
  private readonly channels = new ChannelTable();
  private readonly outbox: Outbox;
  private readonly log: Log;
  private readonly time: Time;
  private readonly requestTimeoutMs: number;
  private session: Session | undefined;
  /** Whether this connection has had its first registration; what follows are changes to it. */
  private announced = false;

  constructor(private readonly options: ProducerOptions) {
    if (!options.featureSets[options.messagingFeatureSet])
      throw new RangeError(`messagingFeatureSet ${options.messagingFeatureSet} is not among featureSets`);
    this.log = options.log ?? silentLog;
    this.time = options.time ?? systemTime;
    this.requestTimeoutMs = options.requestTimeoutMs ?? 60_000;
    this.outbox = new Outbox({
      store: options.store,
      sender: this.sender(),
      time: this.time,
      random: options.random ?? Math.random,
      log: this.log,
    });
  }

  /** Takes up what an earlier process left in the store. Call once, before anything is submitted. */
  async open(): Promise<void> {
    const waiting = await this.outbox.restore();
    if (waiting > 0) this.log.info({ waiting }, 'occurrences of an earlier run wait in the outbox');
  }

  /** Serves a host on `transport`. A newer connection takes the place of an older one, which is closed. */
  async connect(transport: Transport): Promise<void> {
    const { name, version, featureSets, tools, policyTimeoutMs = 15_000 } = this.options;
    const previous = this.session;
    const session: Session = new Session(transport, {
      name,
      version,
      featureSets,
      manifest: buildManifest(featureSets),
      tools,
      log: this.log,
      time: this.time,
      policyTimeoutMs,
      onPolicy: () => void this.policyChanged(session),
      onClose: () => {
        if (this.session === session) this.session = undefined;
      },
    });
    this.session = session;
    this.announced = false;
    this.channels.forgetRegistrations();
    this.serveHost(session);
    await previous?.close();
    await session.start();
  }

  get phase(): Phase['kind'] | 'disconnected' {
    return this.session?.phase.kind ?? 'disconnected';
  }

  /** How many occurrences wait or are under way. */
  get backlog(): number {
    return this.outbox.length;
  }

  /** Registers channels, now and on every later connection; a known id is updated. */
  async register(descriptors: readonly ChannelDescriptor[]): Promise<void> {
    const sorted = descriptors.map((descriptor) => ({ descriptor, how: this.channels.put(descriptor) }));
    const added = sorted.flatMap((one) => (one.how === 'added' ? [one.descriptor] : []));
    const updated = sorted.flatMap((one) => (one.how === 'updated' ? [one.descriptor] : []));
    if (!this.session?.can('channels.register')) return;
    if (this.announced) await this.announce('channels/changed', { added, updated });
    else await this.announce('channels/register', { channels: this.channels.all() });
  }

  /** Takes channels out of the registration. */
  async unregister(ids: readonly string[]): Promise<void> {
    const removed = ids.filter((id) => this.channels.delete(id));
    if (removed.length > 0 && this.session?.can('channels.register'))
      await this.session.request('channels/changed', { removed }, this.requestTimeoutMs);
  }

  /** One channel, registered or not yet. */
  channel(id: string): Channel {
    return {
      id,
      isOpen: () => this.channels.isOpen(id),
      message: (messageId) =>
        new MessageSubject(this.outbox, {
          platform: this.options.platform,
          featureSet: this.options.messagingFeatureSet,
          channelId: id,
          messageId,
        }),
    };
  }

  async close(): Promise<void> {
    await this.session?.close();
    await this.options.store.close();
  }

  private sender(): Sender {
    return {
      route: (occurrence) => this.route(occurrence),
      retryWindowMs: () => this.session?.retryWindowMs ?? 0,
      send: (wire, onLate) => this.send(wire, onLate),
      registerAgain: async (channelId) => {
        const descriptor = this.channels.get(channelId);
        if (descriptor) await this.announce('channels/register', { channels: [descriptor] });
      },
    };
  }

  private route(occurrence: Occurrence): ReturnType<Sender['route']> {
    const { session } = this;
    if (session?.phase.kind !== 'ready') return { kind: 'wait' };
    const registration = this.channels.registration(occurrence.channelId);
    if (session.can('channels.register')) {
      if (registration.kind === 'refused') return { kind: 'refused' };
      if (registration.kind !== 'accepted') return { kind: 'wait' };
    }
    return this.routeNow(session, occurrence, registration.kind === 'accepted');
  }

  private routeNow(session: Session, occurrence: Occurrence, registered: boolean): Route {
    return chooseRoute({
      action: occurrence.action,
      open: this.channels.isOpen(occurrence.channelId),
      registered,
      leaves: session.leaves,
      pushGranted: session.can('pushEvents') && session.hasFeatureSet(occurrence.featureSet),
      incomingGranted: session.can('channels.incoming'),
    });
  }

  private send(wire: WireForm, onLate: (result: Record<string, unknown>) => void): Promise<Record<string, unknown>> {
    if (!this.session) throw new Error('no session to send on');
    return this.session.request(wire.method, wire.params, this.requestTimeoutMs, (result, late) => {
      if (late) onLate(result);
    });
  }

  /** A new grant: registration first, then whatever waited for either. */
  private async policyChanged(session: Session): Promise<void> {
    if (this.session !== session) return;
    const channels = this.channels.all();
    if (session.can('channels.register') && channels.length > 0) await this.announce('channels/register', { channels });
    this.outbox.wake();
  }

  private async announce(
    method: 'channels/register' | 'channels/changed',
    lists: Readonly<Record<string, readonly ChannelDescriptor[]>>,
  ): Promise<void> {
    const ids = Object.values(lists).flatMap((list) => list.map((one) => one.id));
    if (!this.session || ids.length === 0) return;
    this.announced = true;
    this.channels.asked(ids);
    const answered = (result: Readonly<Record<string, unknown>>): void => {
      this.channels.answered(ids, Array.isArray(result.results) ? (result.results as DescriptorResult[]) : undefined);
      for (const id of ids) {
        const registration = this.channels.registration(id);
        if (registration.kind === 'refused')
          this.log.warn({ channelId: id, reason: registration.reason }, 'the host refuses this channel');
      }
      this.outbox.wake();
    };
    try {
      await this.session.request(method, lists, this.requestTimeoutMs, answered);
    } catch (error) {
      this.log.warn({ method, reason: (error as Error).message }, 'channels are not registered yet');
    }
  }

  private serveHost(session: Session): void {
    session.serve('channels/list', 'channels.register', () => ({ channels: this.channels.all() }));
    session.serve('channels/open', 'channels.lifecycle', (params) => this.openChannel(params));
    session.serve('channels/close', 'channels.lifecycle', async ({ channelId }) => {
      if (!this.channels.get(channelId)) throw unknownChannel(channelId);
      this.channels.setOpen(channelId, false);
      await this.options.callbacks.closed?.(channelId);
      return { closed: true };
    });
    session.serve('channels/publish', 'channels.publish', (params) => this.publish(params));
    session.serve('channels/typing', 'channels.typing', (params) => this.options.callbacks.typing?.(params));
    session.serve(
      'channels/acknowledge',
      'channels.acknowledge',
      (params) => this.options.callbacks.acknowledge?.(params) ?? { acknowledged: false, reason: 'not supported' },
    );
    // Chunks are advisory and never delivered (SPEC §14.3); they are read so that the host gets no error in its log.
    session.serve('channels/outgoing/chunk', 'channels.streaming', () => ({}));
    session.serve('channels/outgoing/complete', 'channels.streaming', () => ({}));
  }

  private async openChannel(params: ChannelsOpenParams): Promise<{ channel: ChannelDescriptor }> {
    const channel = this.channels.all().find((one) => selects(params, one));
    if (!channel) throw unknownChannel(params.channelId ?? JSON.stringify(params.address));
    try {
      await this.options.callbacks.opened?.(channel.id);
    } catch (error) {
      throw new McplError(ErrorCode.ChannelOpenFailed, `Channel open failed: ${(error as Error).message}`);
    }
    this.channels.setOpen(channel.id, true);
    return { channel };
  }

  private async publish(params: ChannelsPublishParams): Promise<ChannelsPublishResult> {
    const channel = this.channels.get(params.channelId);
    if (!channel) throw unknownChannel(params.channelId);
    const problem = publishTargetProblem(channel.capabilities?.publish?.target, params.threadId);
    if (problem) return { delivered: false, reason: `${problem.field} ${problem.reason}` };
    const result = await this.options.callbacks.publish(params);
    return result.delivered && params.threadId !== undefined ? { ...result, threadId: params.threadId } : result;
  }
}

/** Every selector that is given must name the same channel. */
const selects = (params: ChannelsOpenParams, channel: ChannelDescriptor): boolean =>
  (params.channelId === undefined || params.channelId === channel.id) &&
  (params.type === undefined || params.type === channel.type) &&
  (params.address === undefined ||
    Object.entries(params.address).every(([member, value]) => channel.address?.[member] === value));
