import { doneWithin, Producer, systemTime } from '@mcpl-bridges/producer';
import type { ChannelDescriptor, ChannelHistory, OpenHistory } from '@mcpl-bridges/protocol';
import { DEFAULT_INLINE_LIMITS } from './attachments.js';
import { Listening } from './attention/listening.js';
import { DEFAULT_LOOP_GUARD, LoopGuard } from './attention/loop-guard.js';
import { Openness } from './attention/openness.js';
import { Preferences } from './attention/preferences.js';
import { SourceHeader } from './attention/source-header.js';
import { Backscroll, DEFAULT_BACKSCROLL } from './backscroll.js';
import type { BridgeOptions } from './bridge-options.js';
import { type Heritage, NO_HERITAGE } from './heritage.js';
import { type CommandReport, type HostCommand, type Requester, runHostCommand } from './host-commands.js';
import { Intake } from './intake.js';
import type { Revision } from './ledger.js';
import { type Locus, locusKey } from './locus.js';
import { type ChatEvent, locusOfEvent } from './message.js';
import { acknowledge, publish } from './publishing/answers.js';
import { Poster } from './publishing/poster.js';
import { TypingIndicator } from './publishing/typing.js';
import { ChannelMemory } from './reconcile/channel-memory.js';
import { Progress } from './reconcile/progress.js';
import { DEFAULT_RECONCILE_LIMITS, type Found, Reconciler } from './reconcile/reconciler.js';
import { type TellTime, timeTeller } from './render/times.js';
import { SerialByKey } from './serial.js';
import { attentionTools } from './tools/attention-tools.js';
import { ChannelDirectory, type ThreadEntry } from './tools/channel-directory.js';
import { messageTools } from './tools/message-tools.js';
import { readingTools } from './tools/reading-tools.js';
import { toolbox } from './tools/tool.js';
import type { ToolContext } from './tools/tool-context.js';

/**
 * What every chat bridge does, whatever its platform: takes in what the platform tells, channel by channel in the order it
 * came, and does on the platform what the agent's host asks for.
 */
export class ChatBridge {
  readonly producer: Producer;
  private readonly channels = new SerialByKey();
  private readonly directory = new ChannelDirectory();
  private readonly memory = new ChannelMemory(
    (key) => this.producer.recall(key),
    (place) => this.heritage.newest[this.options.laneOf(place)],
  );
  private readonly preferences = new Preferences(
    (key) => this.producer.recall(key),
    (records) => this.producer.remember(records),
    (channelId) => this.options.laneOf(channelId),
  );
  private readonly intake: Intake;
  private readonly reconciler: Reconciler;
  private readonly backscroll: Backscroll;
  private readonly poster: Poster;
  private readonly typing: TypingIndicator;
  private readonly progress: Progress;
  private readonly openness = new Openness(
    () => this.producer,
    (channelId) =>
      this.heritage.open.includes(this.options.laneOf(channelId)) || (this.options.isOpenAtFirst?.(channelId) ?? false),
  );
  private readonly listening: Listening;
  private heritage = NO_HERITAGE;
  /** When a bridge first worked with this store, ms since the Unix epoch. Known once it is open. */
  firstRunAt = 0;

  constructor(private readonly options: BridgeOptions) {
    const { platform, platformName, log, tellTime = timeTeller(), time = systemTime } = options;
    const now = (): number => this.now();
    this.poster = new Poster({
      platform,
      recall: (key) => this.producer.recall(key),
      remember: (records) => this.producer.remember(records),
      connectionId: () => this.producer.connectionId,
      newNonce: options.newNonce,
      now,
      time,
    });
    this.listening = new Listening({
      platform,
      producer: () => this.producer,
      memory: this.memory,
      openness: this.openness,
      preferences: this.preferences,
      closedDelivery: options.closedDelivery ?? 'addressed',
      hearing: options.hearing,
      threadsOf: (channelId) => this.directory.threadsOf(channelId),
    });
    this.progress = new Progress(log);
    const show = (channelId: string): Promise<void> => {
      options.observer?.writes(channelId);
      return platform.typing({ channelId });
    };
    this.typing = new TypingIndicator({ show, time });
    this.backscroll = new Backscroll({
      platform,
      limits: { ...DEFAULT_BACKSCROLL, ...options.backscroll },
      newest: async (place) => (await this.memory.record(place))?.newest,
      haveBeenRead: (messages) => this.intake.haveBeenRead(messages),
      tellTime,
    });
    const context = this.toolContext(tellTime);
    this.producer = new Producer({
      name: options.serverName,
      version: options.version,
      platform: platformName,
      featureSets: options.featureSets,
      messagingFeatureSet: `${platformName}.messaging`,
      store: options.store,
      log,
      tools: toolbox(platformName, [
        ...messageTools(context),
        ...readingTools(context),
        ...attentionTools(context),
        ...(options.tools?.(context) ?? []),
      ]),
      callbacks: {
        opening: (channelId, history, open) => this.opening(channelId, history, open),
        closed: (channelId) => {
          options.observer?.closed(channelId);
          return this.listening.closed(channelId);
        },
        health: (health) => {
          if (health.kind === 'taken-over') options.onTakenOver?.(health.reason);
        },
        publish: (params) => {
          this.typing.stop(params.channelId);
          return publish(this.poster, params);
        },
        typing: ({ channelId, op }) => (op === 'stop' ? this.typing.stop(channelId) : this.typing.start(channelId)),
        outgoingChunk: ({ channelId }) => this.typing.start(channelId),
        outgoingComplete: ({ channelId }) => this.typing.stop(channelId),
        acknowledge: (params) => acknowledge(platform, params),
      },
      time,
      ...(options.policyTimeoutMs === undefined ? {} : { policyTimeoutMs: options.policyTimeoutMs }),
      ...(options.notificationInstructions === undefined
        ? {}
        : { notificationInstructions: options.notificationInstructions }),
    });
    this.intake = new Intake({
      platformName,
      platform,
      producer: this.producer,
      memory: this.memory,
      preferences: this.preferences,
      loops: new LoopGuard({ ...DEFAULT_LOOP_GUARD, ...options.loopGuard }, (channelId) =>
        log.warn({ channelId }, 'bots talk to the agent in a loop: it is not woken by them until a person speaks'),
      ),
      header: new SourceHeader(options.sourceHeader ?? 'changes'),
      tellTime,
      labelOf: (locus) => this.directory.labelOf(locusKey(locus)),
      isOpen: (channelId) => this.openness.isOpen(channelId),
      closedDelivery: (channelId) => this.listening.closedDelivery(channelId),
      missed: (message) => this.listening.missed(message, message),
      otherBots: options.otherBots ?? 'all',
      platformEvents: options.platformEvents ?? false,
      linkPreviews: options.linkPreviews ?? false,
      countsRevisions: options.countsRevisions ?? false,
      onDelivered: (message) => options.onDelivered?.(message, this.producer.channel(message.channelId).isOpen()),
      inline: { ...DEFAULT_INLINE_LIMITS, ...options.inline },
      log,
      now,
    });
    this.reconciler = new Reconciler({
      platform,
      memory: this.memory,
      limits: { ...DEFAULT_RECONCILE_LIMITS, ...options.reconcile },
      log,
      now,
      isKnown: async (channelId, messageId) => (await this.intake.known(channelId, messageId)) !== undefined,
      take: (event) => this.intake.take(event),
      remember: (records) => this.producer.remember(records),
      isNew: async (locus) => (await options.isNewChannel?.(locus)) ?? false,
      tellGap: (locus, gap) => this.intake.tellGap(locus, gap),
    });
  }

  /** Takes up what an earlier process left in the store, or else what another program did. To be called once, first. */
  async open(heritage: Heritage = NO_HERITAGE): Promise<void> {
    await this.producer.open();
    this.heritage = (await this.kept(INHERITED, heritage)) as Heritage;
    this.firstRunAt = (await this.kept(FIRST_RUN, this.now())) as number;
    await this.preferences.restore(this.heritage);
  }

  async addChannels(descriptors: readonly ChannelDescriptor[]): Promise<void> {
    for (const descriptor of descriptors) {
      const { id } = descriptor;
      if (!this.directory.has(id)) this.openness.add(id);
      this.directory.put(descriptor);
      if (this.preferences.isMuted(id)) this.producer.withhold(id);
    }
    await this.producer.register(descriptors);
  }

  /** Adds a channel that the platform does not list by itself; `privateLanes` knows it from now on. */
  async addPrivateChannel(lane: string, descriptor: ChannelDescriptor): Promise<void> {
    const lanes = await this.privateLanes();
    if (!lanes.includes(lane))
      await this.producer.remember([{ key: PRIVATE_LANES, value: [...lanes, lane].slice(-MAX_PRIVATE_LANES) }]);
    await this.addChannels([descriptor]);
  }

  /** The lanes of private channels, of earlier processes, too; the latest last. */
  async privateLanes(): Promise<readonly string[]> {
    return ((await this.producer.recall(PRIVATE_LANES)) as string[] | undefined) ?? this.heritage.privateLanes;
  }

  async removeChannels(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.directory.delete({ channelId: id });
      this.openness.delete(id);
      this.typing.stop(id);
    }
    await this.producer.unregister(ids);
  }

  /** Adds threads that are kept under their channels. */
  addThreads(threads: readonly ThreadEntry[]): void {
    for (const thread of threads) this.directory.putThread(thread);
  }

  removeThreads(threads: readonly Locus[]): void {
    for (const thread of threads) this.directory.delete(thread);
  }

  knowsChannel(id: string): boolean {
    return this.directory.has(id);
  }

  /** How a message stands with the agent, where it is known. */
  async standingOf(channelId: string, messageId: string): Promise<Revision['standing'] | undefined> {
    return (await this.intake.known(channelId, messageId))?.standing;
  }

  /** Whether the agent has reason to hear all that happens in a channel. */
  isFollowed(channelId: string): Promise<boolean> {
    return this.listening.isFollowed(channelId);
  }

  /** Whether reactions in a channel are worth telling the bridge about. */
  hearsReactions(channelId: string): boolean {
    return this.preferences.hearsReactions(channelId, this.options.reactionsIn?.(channelId) ?? false);
  }

  /**
   * Takes an event in, or several. `lane` is the platform's own channel id: whatever delays `event` (a look-up, a download) delays
   * that channel only. Resolves when whatever is stored after it cannot be stored without it.
   */
  receive(lane: string, event: () => Promise<ChatEvent | readonly ChatEvent[] | undefined>): Promise<void> {
    return this.channels
      .run(lane, async () => {
        const resolved = (await event()) ?? [];
        for (const one of 'kind' in resolved ? [resolved] : resolved) {
          if (one.kind === 'created') this.options.observer?.heard(one.message);
          // Such a host takes no messages on any later day either: keeping them would only fill the outbox.
          if (this.producer.isDeaf) return;
          await this.meet(lane, one);
          await this.intake.take(one);
        }
      })
      .catch(({ message, stack }: Error) =>
        // Not the error object: a platform's errors carry what was sent.
        this.options.log.error({ lane, reason: message, stack }, 'an event could not be taken in'),
      );
  }

  /** What is told is not lost because what came before it cannot be looked up; it will be when the place is looked at next. */
  private async meet(lane: string, event: ChatEvent): Promise<void> {
    await this.reconciler
      .meet(locusOfEvent(event))
      .catch(({ message }: Error) => this.options.log.warn({ lane, reason: message }, 'a new place could not be read'));
  }

  /** The newest message that was ever taken in of these channels; `''` where none was. */
  newestOf(places: readonly string[]): Promise<string> {
    return this.memory.newestOf(places);
  }

  /**
   * Finds out what happened in a channel while nobody listened, before anything that happens there later.
   * @param find resolves to nothing where there is no such channel
   */
  reconcile(lane: string, find: () => Promise<Found | undefined>): void {
    let news = 0;
    this.progress.begun();
    this.channels
      .run(lane, async () => {
        if (this.producer.isDeaf) return;
        const found = await find();
        if (found) news = await this.reconciler.run(found);
      })
      .catch((error: Error) =>
        this.options.log.warn({ lane, reason: error.message }, 'a channel could not be caught up with'),
      )
      .finally(() => this.progress.ended(news));
  }

  /** Has the agent's host do what somebody who may has asked for; marks what the agent does not see any more. */
  async command(command: HostCommand, by: Requester): Promise<CommandReport> {
    const report = await runHostCommand(command, by, (...request) => this.producer.ask(...request));
    for (const { channelId, messageId } of report.hidden)
      await this.options.platform
        .react(channelId, messageId, HIDDEN, true)
        .catch((error: Error) =>
          this.options.log.warn(
            { channelId, messageId, reason: error.message },
            'a hidden message could not be marked',
          ),
        );
    return report;
  }

  /** Resolves when every event taken in so far is stored. */
  async idle(): Promise<void> {
    await this.channels.idle();
    await this.intake.idle();
  }

  /** Stops. What is still being taken in has `graceMs` to be stored. */
  async close(graceMs = 1000): Promise<void> {
    this.typing.stopAll();
    await doneWithin(this.options.time ?? systemTime, graceMs, this.idle());
    await this.producer.close();
  }

  private toolContext(tellTime: TellTime): ToolContext {
    return {
      platform: this.options.platform,
      channels: this.directory,
      tellTime,
      post: (post) => this.poster.post(post),
      backscroll: this.backscroll,
      ...(this.options.files ? { files: this.options.files } : {}),
      attention: {
        isMuted: (channelId) => this.preferences.isMuted(channelId),
        setMuted: (channelId, isMuted) => this.setMuted(channelId, isMuted),
        isOpen: (channelId) => this.openness.isOpen(channelId),
        missed: (channelId) => this.listening.missed({ channelId }),
        subscribe: (channelId) =>
          this.channels.run(this.options.laneOf(channelId), () => this.listening.subscribe(channelId)),
        unsubscribe: (channelId) => this.listening.unsubscribe(channelId),
        isSubscribed: (channelId) => this.preferences.isSubscribed(channelId),
        setReactions: (channelId, visible) => this.preferences.setReactions(channelId, visible),
      },
    };
  }

  private async setMuted(channelId: string, isMuted: boolean): Promise<boolean> {
    const isChanged = await this.preferences.setMuted(channelId, isMuted);
    if (isMuted) this.producer.withhold(channelId);
    else {
      this.producer.release(channelId);
      await this.options.platform.passOver?.(channelId);
    }
    return isChanged;
  }

  /**
   * In the channel's turn: every message is either part of the past that the host gets to see, or comes after it. The host
   * has its answer when this is stored: what is said from then on is for it, though this process may end.
   */
  private async opening(
    channelId: string,
    history: OpenHistory | undefined,
    open: () => void,
  ): Promise<ChannelHistory | undefined> {
    if (this.preferences.isMuted(channelId)) throw new Error('the agent has muted it; unmute_channel comes first');
    let past: ChannelHistory | undefined;
    await this.channels.run(this.options.laneOf(channelId), async () => {
      await this.listening.begin(channelId);
      if (history && history.limit > 0) past = await this.backscroll.onOpening(channelId, history);
      open();
      this.options.observer?.opened(channelId);
    });
    const heard = await this.memory.listens(channelId);
    await this.producer.remember([this.openness.record(channelId, true), ...heard]);
    return past;
  }

  /** What is remembered under `key`; from now on `otherwise`, where nothing is. */
  private async kept(key: string, otherwise: unknown): Promise<unknown> {
    const remembered = await this.producer.recall(key);
    if (remembered === undefined) await this.producer.remember([{ key, value: otherwise }]);
    return remembered ?? otherwise;
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }
}

/** The mark of messages that were taken out of the agent's context. */
const HIDDEN = '💤';

const PRIVATE_LANES = 'private-lanes';
const INHERITED = 'inherited';
const FIRST_RUN = 'first-run';

/** Private channels that are looked at again after a gap. */
const MAX_PRIVATE_LANES = 200;
