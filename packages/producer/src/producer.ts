import type { ChannelDescriptor, FeatureSet } from '@mcpl-bridges/protocol';
import { RequestFailure } from '@mcpl-bridges/transport';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Callbacks } from './callbacks.js';
import { serveHostRequests } from './host-requests.js';
import { type Log, silentLog } from './log.js';
import { MessageSubject } from './message-subject.js';
import { chooseRoute, type Route } from './occurrence/lane.js';
import type { Occurrence } from './occurrence/occurrence.js';
import type { WireForm } from './occurrence/wire-form.js';
import type { Sender } from './outbox/channel-queue.js';
import { DEFAULT_OUTBOX_LIMITS, Outbox, type OutboxLimits } from './outbox/outbox.js';
import { Registration } from './registration.js';
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
  readonly outbox?: Partial<OutboxLimits>;
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
  private readonly registration: Registration;
  private readonly outbox: Outbox;
  private readonly log: Log;
  private readonly time: Time;
  private readonly requestTimeoutMs: number;
  private session: Session | undefined;
  private policies = 0;

  constructor(private readonly options: ProducerOptions) {
    if (!options.featureSets[options.messagingFeatureSet])
      throw new RangeError(`messagingFeatureSet ${options.messagingFeatureSet} is not among featureSets`);
    this.log = options.log ?? silentLog;
    this.time = options.time ?? systemTime;
    this.requestTimeoutMs = options.requestTimeoutMs ?? 60_000;
    this.registration = new Registration({
      log: this.log,
      requestTimeoutMs: this.requestTimeoutMs,
      session: () => this.session,
      onAnswered: () => this.outbox.wake(),
    });
    this.outbox = new Outbox({
      store: options.store,
      sender: this.sender(),
      time: this.time,
      random: options.random ?? Math.random,
      log: this.log,
      limits: { ...DEFAULT_OUTBOX_LIMITS, ...options.outbox },
      onHighWater: (waiting) => {
        this.log.warn({ waiting }, 'the outbox fills up: the host takes less than arrives');
        options.callbacks.highWater?.(waiting);
      },
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
    this.registration.reset();
    serveHostRequests(session, this.registration.table, this.options.callbacks);
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
  register(descriptors: readonly ChannelDescriptor[]): Promise<void> {
    return this.registration.put(descriptors);
  }

  /** Takes channels out of the registration; what still waits for them is given up. */
  unregister(ids: readonly string[]): Promise<void> {
    return this.registration.remove(ids);
  }

  /** One channel, registered or not yet. */
  channel(id: string): Channel {
    return {
      id,
      isOpen: () => this.registration.table.isOpen(id),
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
      policyEpoch: () => this.policies,
      retryWindowMs: () => this.session?.retryWindowMs ?? 0,
      send: (wire, onLate) => this.send(wire, onLate),
      registerAgain: (channelId) => this.registration.again(channelId),
    };
  }

  private route(occurrence: Occurrence): ReturnType<Sender['route']> {
    const { session } = this;
    if (session?.phase.kind !== 'ready') return { kind: 'wait' };
    const registration = this.registration.table.registration(occurrence.channelId);
    if (session.can('channels.register')) {
      if (registration.kind === 'refused') return { kind: 'refused' };
      if (registration.kind !== 'accepted') return { kind: 'wait' };
    }
    return this.routeNow(session, occurrence, registration.kind === 'accepted');
  }

  private routeNow(session: Session, occurrence: Occurrence, registered: boolean): Route {
    return chooseRoute({
      action: occurrence.action,
      open: this.registration.table.isOpen(occurrence.channelId),
      registered,
      leaves: session.leaves,
      pushGranted: session.can('pushEvents') && session.hasFeatureSet(occurrence.featureSet),
      incomingGranted: session.can('channels.incoming'),
    });
  }

  private send(wire: WireForm, onLate: (result: Record<string, unknown>) => void): Promise<Record<string, unknown>> {
    if (!this.session) return Promise.reject(new RequestFailure(wire.method, { kind: 'disconnected' }));
    return this.session.request(wire.method, wire.params, this.requestTimeoutMs, (result, late) => {
      if (late) onLate(result);
    });
  }

  /** A new grant: registration first, then whatever waited for either. */
  private async policyChanged(session: Session): Promise<void> {
    if (this.session !== session) return;
    this.policies += 1;
    await this.registration.begin();
    this.outbox.wake();
  }
}
