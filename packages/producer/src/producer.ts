import { type ChannelDescriptor, type FeatureSet, McplError } from '@mcpl-bridges/protocol';
import { RequestFailure } from '@mcpl-bridges/transport';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { nanoid } from 'nanoid';
import type { Callbacks } from './callbacks.js';
import { Digests } from './digest/digests.js';
import { serveHostRequests } from './host-requests.js';
import { HostSender } from './host-sender.js';
import type { SubjectContext } from './keyed-subject.js';
import { type Log, silentLog } from './log.js';
import { MessageSubject } from './message-subject.js';
import type { Counts } from './outbox/counters.js';
import type { Health } from './outbox/group-commit.js';
import { DEFAULT_OUTBOX_LIMITS, Outbox, type OutboxLimits } from './outbox/outbox.js';
import { type Channel, type FeatureSetPlace, placeOf, submitEvent } from './places.js';
import { Registration } from './registration.js';
import { Declaration } from './session/declaration.js';
import { type Phase, Session } from './session/session.js';
import type { DeadLetter, RecordWrite, Store } from './store/store.js';
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
  /** Makes ids for what has no revision of its own. Default: nanoid. */
  readonly newId?: () => string;
  /** How long the host may take to answer a request, ms. Default 60,000. Late answers still count. */
  readonly requestTimeoutMs?: number;
  readonly outbox?: Partial<OutboxLimits>;
  /** Whether hosts that advertise MCPL 0.4 are spoken to in it. Default true. */
  readonly legacyHosts?: boolean;
  /**
   * Tells hosts without MCPL what happens by `notifications/claude/channel`, and them how to read it. Nobody answers a
   * notification: what is lost on the way is lost, and nothing is ever replaced. Default: such hosts get tools only.
   */
  readonly notificationInstructions?: string;
  /** After how long without a policy the host is called out in the log, ms. Default 15,000. */
  readonly policyTimeoutMs?: number;
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
  private readonly declaration: Declaration;
  private readonly digests: Digests;
  private readonly subjects: SubjectContext;
  private session: Session | undefined;
  private readonly withheld = new Set<string>();
  private policies = 0;
  private present: Health = { kind: 'ok' };

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
    this.declaration = new Declaration(options.featureSets, (change) => this.session?.announce(change));
    this.digests = new Digests({
      read: (key) => this.outbox.recall(key),
      write: (records) => this.outbox.keep(records),
      time: this.time,
      log: this.log,
    });
    this.outbox = new Outbox({
      store: options.store,
      sender: new HostSender({
        session: () => this.session,
        registration: this.registration,
        digests: this.digests,
        policyEpoch: () => this.policies,
        withholds: (channelId) => this.withheld.has(channelId),
        requestTimeoutMs: this.requestTimeoutMs,
      }),
      time: this.time,
      random: options.random ?? Math.random,
      log: this.log,
      limits: { ...DEFAULT_OUTBOX_LIMITS, ...options.outbox },
      onHealth: (health) => this.healthChanged(health),
      onHighWater: (waiting) => {
        this.log.warn({ waiting }, 'the outbox fills up: the host takes less than arrives');
        options.callbacks.highWater?.(waiting);
      },
    });
    const { newId = nanoid } = options;
    this.subjects = {
      outbox: this.outbox,
      newId: () => `${options.platform}:${newId()}`,
      now: () => new Date().toISOString(),
    };
  }

  /** Takes up what an earlier process left in the store. What is handed over before waits for it. */
  async open(): Promise<void> {
    const waiting = await this.outbox.restore();
    if (waiting > 0) this.log.info({ waiting }, 'occurrences of an earlier run wait in the outbox');
  }

  /** Serves a host on `transport`. A newer connection takes the place of an older one, which is closed. */
  async connect(transport: Transport): Promise<void> {
    const { name, version, tools, policyTimeoutMs = 15_000 } = this.options;
    const previous = this.session;
    const session: Session = new Session(transport, {
      name,
      version,
      declaration: this.declaration,
      tools,
      log: this.log,
      time: this.time,
      policyTimeoutMs,
      legacyHosts: this.options.legacyHosts ?? true,
      notificationInstructions: this.options.notificationInstructions,
      onPolicy: () => void this.policyChanged(session),
      onClose: () => {
        if (this.session === session) this.session = undefined;
      },
    });
    this.session = session;
    this.registration.reset();
    serveHostRequests(session, this.registration.table, this.options.callbacks);
    session.serve('push/render', 'pushEvents', (params) => this.digests.render(params));
    await previous?.close();
    await session.start();
  }

  /** Whether what happens can be kept and sent. */
  get health(): Health {
    return this.present;
  }

  /** What happened since the process started. */
  get counts(): Counts {
    return this.outbox.counts;
  }

  /** Keeps values beside the outbox. Resolves once they are stored. */
  remember(records: readonly RecordWrite[]): Promise<void> {
    return this.outbox.keep(records);
  }

  /** A value as it was last handed to `remember`, or with an occurrence, stored yet or not; or `undefined`. */
  recall(key: string): Promise<unknown> {
    return this.outbox.recall(key);
  }

  /** The newest `limit` occurrences that were given up, oldest first. */
  deadLetters(limit: number): Promise<DeadLetter[]> {
    return this.options.store.deadLetters(limit);
  }

  get phase(): Phase['kind'] | 'disconnected' {
    return this.session?.phase.kind ?? 'disconnected';
  }

  /** Whether the host that is there takes nothing of what happens, now or later. */
  get isDeaf(): boolean {
    return this.phase === 'plain-mcp' && this.options.notificationInstructions === undefined;
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

  /** Takes a channel for open until a host says otherwise, because one opened it in an earlier process. */
  assumeOpen(id: string): void {
    this.registration.table.assumeOpen(id);
  }

  /**
   * Says nothing of a channel from now on: what waits for it is given up (`withheld`), and so is whatever is handed over
   * until `release`. Not kept over a restart.
   */
  withhold(channelId: string): void {
    this.withheld.add(channelId);
    this.outbox.wake();
  }

  release(channelId: string): void {
    this.withheld.delete(channelId);
  }

  /**
   * Asks the host for what MCPL has no method for. Hosts without MCPL are not asked: theirs would not answer.
   * @param timeoutMs how long the host may take
   * @throws McplError as the host refuses @throws Error where no host is there that could do it, or none answers in time
   */
  async ask(
    method: string,
    params: Readonly<Record<string, unknown>>,
    timeoutMs: number,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (this.phase !== 'ready' && this.phase !== 'awaiting-policy') throw new Error('no MCPL host is connected');
    try {
      return await (this.session as Session).request(method, params, timeoutMs);
    } catch (error) {
      if (!(error instanceof RequestFailure) || error.cause.kind !== 'refused') throw error;
      const { code, message, data } = error.cause.error;
      throw new McplError(code, message, data);
    }
  }

  /** Tells one connection from every other; `undefined` while there is none. */
  get connectionId(): string | undefined {
    return this.session?.id;
  }

  /** One channel, registered or not yet. Its states and digests belong to the messaging feature set unless said otherwise. */
  channel(id: string, featureSet = this.options.messagingFeatureSet): Channel {
    return {
      id,
      ...placeOf(this.subjects, this.digests, { featureSet: this.declared(featureSet), channelId: id }),
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

  /** What belongs to no channel. @throws RangeError for a feature set that was not declared */
  featureSet(name: string): FeatureSetPlace {
    return {
      ...placeOf(this.subjects, this.digests, { featureSet: this.declared(name) }),
      event: (facts) => submitEvent(this.subjects, name, facts),
    };
  }

  /**
   * Declares other feature sets from now on. Hosts are told once for all changes of one moment; what they make of it comes
   * as their next policy (SPEC §17).
   */
  declare(featureSets: Readonly<Record<string, FeatureSet>>): void {
    if (!featureSets[this.options.messagingFeatureSet])
      throw new RangeError(`messagingFeatureSet ${this.options.messagingFeatureSet} is not among featureSets`);
    this.declaration.set(featureSets);
  }

  async close(): Promise<void> {
    await this.session?.close();
    await this.outbox.close();
    await this.options.store.close();
  }

  private declared(featureSet: string): string {
    if (!Object.hasOwn(this.declaration.featureSets, featureSet))
      throw new RangeError(`feature set ${featureSet} is not among featureSets`);
    return featureSet;
  }

  private healthChanged(health: Health): void {
    this.present = health;
    this.options.callbacks.health?.(health);
    switch (health.kind) {
      case 'ok':
        this.log.info({}, 'the store is back: what was held goes on');
        return;
      case 'degraded':
        this.log.warn({ reason: health.reason }, 'the store is away: nothing is sent until it is back');
        return;
      case 'taken-over':
        this.log.error({ reason: health.reason }, 'another instance has taken over: this one sends nothing more');
        void this.session?.close();
    }
  }

  /** A new grant: registration first, then whatever waited for either. */
  private async policyChanged(session: Session): Promise<void> {
    if (this.session !== session) return;
    this.policies += 1;
    await this.registration.begin();
    this.outbox.wake();
  }
}
