import { type Log, Producer, type RecordWrite, type Settlement, type Store, type Time } from '@mcpl-bridges/producer';
import type {
  ChannelDescriptor,
  ChannelsPublishParams,
  ChannelsPublishResult,
  FeatureSet,
} from '@mcpl-bridges/protocol';
import { DEFAULT_INLINE_LIMITS, type InlineLimits, withInlines } from './attachments.js';
import {
  type Circumstances,
  type Decision,
  decideCreate,
  decideDelete,
  decideUpdate,
  LONG_AGO_MS,
  type Revision,
  revisionKey,
} from './ledger.js';
import type { ChatEvent, ChatMessage, Reaction } from './message.js';
import { deliver, describeDelivery } from './outgoing.js';
import { type ChatPlatform, SendRefused } from './platform.js';
import { Reactions } from './reactions.js';
import { ChannelMemory } from './reconcile/channel-memory.js';
import type { Gap } from './reconcile/plan.js';
import { DEFAULT_RECONCILE_LIMITS, type ReconcileLimits, Reconciler } from './reconcile/reconciler.js';
import { messageTags } from './render/tags.js';
import { renderCreate, renderDeletion, renderEdit, renderGap } from './render/text.js';
import { SerialByKey } from './serial.js';
import { ChannelDirectory } from './tools/channel-directory.js';
import { messageTools } from './tools/message-tools.js';
import { readingTools } from './tools/reading-tools.js';
import { type ChatTool, toolbox } from './tools/tool.js';

export interface BridgeOptions {
  /** Server name, and first part of every occurrence id and feature set, e.g. `discord`. */
  readonly platformName: string;
  readonly serverName: string;
  readonly version: string;
  readonly featureSets: Readonly<Record<string, FeatureSet>>;
  readonly platform: ChatPlatform;
  readonly store: Store;
  readonly log: Log;
  /** Whether ambient talk of channels the host has not opened is delivered. Default `addressed`: it is not. */
  readonly closedDelivery?: Circumstances['closedDelivery'];
  /** Whether the agent hears what the platform itself says, such as who joined. Default: it does not. */
  readonly platformEvents?: boolean;
  /** ms since the Unix epoch. */
  readonly now?: () => number;
  readonly time?: Time;
  readonly policyTimeoutMs?: number;
  /** The tools that only this platform has. */
  readonly tools?: (channels: ChannelDirectory) => readonly ChatTool[];
  /** How much of files is shown. */
  readonly inline?: Partial<InlineLimits>;
  /** How much of what was missed is caught up with. */
  readonly reconcile?: Partial<ReconcileLimits>;
  /** Another instance works with the store now: this one takes nothing in any more, and should end. */
  readonly onTakenOver?: (reason: string) => void;
}

/**
 * What every chat bridge does with what its platform tells it: understands each event against the revision ledger and
 * hands the agent's host the occurrence that follows. Events of a channel are taken in the order they came.
 */
export class ChatBridge {
  readonly producer: Producer;
  private readonly channels = new SerialByKey();
  private readonly directory = new ChannelDirectory();
  private readonly memory = new ChannelMemory((key) => this.producer.recall(key));
  private readonly reconciler: Reconciler;
  private readonly reactions: Reactions;
  /** Resolves when it is known whether a channel was open in an earlier process. */
  private readonly opennessKnown = new Map<string, Promise<void>>();

  constructor(private readonly options: BridgeOptions) {
    const { platform, platformName, log } = options;
    this.producer = new Producer({
      name: options.serverName,
      version: options.version,
      platform: platformName,
      featureSets: options.featureSets,
      messagingFeatureSet: `${platformName}.messaging`,
      store: options.store,
      log,
      tools: toolbox([
        ...messageTools(platform, this.directory),
        ...readingTools(platform, this.directory),
        ...(options.tools?.(this.directory) ?? []),
      ]),
      callbacks: {
        opened: (channelId) => void this.producer.remember([{ key: openKey(channelId), value: true }]),
        closed: (channelId) => void this.producer.remember([{ key: openKey(channelId), value: undefined }]),
        health: (health) => {
          if (health.kind === 'taken-over') options.onTakenOver?.(health.reason);
        },
        publish: (params) => this.publish(params),
        typing: ({ channelId, op }) => {
          if (op !== 'stop') void platform.typing(channelId);
        },
        acknowledge: async ({ channelId, messageId, value }) => {
          try {
            return { acknowledged: true, representation: await platform.acknowledge(channelId, messageId, value) };
          } catch (error) {
            if (error instanceof SendRefused) return { acknowledged: false, reason: error.message };
            throw error;
          }
        },
      },
      ...(options.time ? { time: options.time } : {}),
      ...(options.policyTimeoutMs === undefined ? {} : { policyTimeoutMs: options.policyTimeoutMs }),
    });
    this.reactions = new Reactions(this.producer);
    this.reconciler = new Reconciler({
      platform,
      memory: this.memory,
      limits: { ...DEFAULT_RECONCILE_LIMITS, ...options.reconcile },
      log,
      now: () => this.now(),
      isKnown: async (channelId, messageId) => (await this.known(channelId, messageId)) !== undefined,
      take: (event) => this.handle(event),
      remember: (records) => this.producer.remember(records),
      tellGap: (channelId, gap) => this.tellGap(channelId, gap),
    });
  }

  async addChannels(descriptors: readonly ChannelDescriptor[]): Promise<void> {
    for (const descriptor of descriptors) {
      const { id } = descriptor;
      if (!this.directory.has(id)) this.opennessKnown.set(id, this.restoreOpenness(id));
      this.directory.put(descriptor);
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
    return ((await this.producer.recall(PRIVATE_LANES)) as string[] | undefined) ?? [];
  }

  async removeChannels(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.directory.delete(id);
      this.opennessKnown.delete(id);
    }
    await this.producer.unregister(ids);
  }

  knowsChannel(id: string): boolean {
    return this.directory.has(id);
  }

  /**
   * Takes an event in. `lane` is the platform's own channel id: whatever delays `event` (a look-up, a download) delays
   * that channel only.
   */
  receive(lane: string, event: () => Promise<ChatEvent | undefined>): void {
    this.channels
      .run(lane, async () => {
        const resolved = await event();
        if (resolved) await this.handle(resolved);
      })
      .catch(({ message, stack }: Error) =>
        // Not the error object: a platform's errors carry what was sent.
        this.options.log.error({ lane, reason: message, stack }, 'an event could not be taken in'),
      );
  }

  /**
   * Finds out what happened in a channel while nobody listened, before anything that happens there later.
   * @param find resolves to the channel and its newest message, `''` for none, `undefined` where that is not known; or to
   * nothing where there is no such channel
   */
  reconcile(
    lane: string,
    find: () => Promise<{ readonly channelId: string; readonly newest: string | undefined } | undefined>,
  ): void {
    this.channels
      .run(lane, async () => {
        if (this.producer.phase === 'plain-mcp') return;
        const found = await find();
        if (found) await this.reconciler.run(found.channelId, found.newest);
      })
      .catch((error: Error) =>
        this.options.log.warn({ lane, reason: error.message }, 'a channel could not be caught up with'),
      );
  }

  /** Resolves when every event taken in so far is stored. */
  idle(): Promise<void> {
    return this.channels.idle();
  }

  /** Stops. What is still being taken in has `graceMs` to be stored. */
  async close(graceMs = 1000): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([this.idle(), grace]);
    clearTimeout(timer);
    await this.producer.close();
  }

  private async handle(event: ChatEvent): Promise<void> {
    // A plain MCP host takes no messages on any later day either: keeping them would only fill the outbox.
    if (this.producer.phase === 'plain-mcp') return;
    switch (event.kind) {
      case 'created':
        return this.follow(event.message, decideCreate);
      case 'updated':
        return this.follow(event.message, decideUpdate);
      case 'reacted':
        return this.react(event.reaction);
      case 'deleted':
        for (const id of event.messageIds) await this.handleDeletion(event.channelId, id, event.at);
    }
  }

  private async follow(
    message: ChatMessage,
    rule: (known: Revision | undefined, message: ChatMessage, circumstances: Circumstances) => Decision,
  ): Promise<void> {
    const { channelId, messageId } = message;
    const known = await this.known(channelId, messageId);
    const decision = rule(known, message, await this.circumstances(channelId, messageId));
    const records = recordWrites(channelId, messageId, decision);
    if (!known && decision.record)
      records.push(...(await this.memory.noticed(channelId, messageId, decision.record.standing === 'announced')));
    const subject = this.producer.channel(message.channelId).message(message.messageId);
    const facts = {
      author: { id: message.author.id, name: message.author.name },
      tags: messageTags(message),
      origin: message.origin,
      records,
    };
    switch (decision.kind) {
      case 'create': {
        const { settled } = await subject.create({
          ...facts,
          timestamp: message.createdAt,
          content: renderCreate(await this.inlined(message), this.now() - Date.parse(message.createdAt) > LONG_AGO_MS),
        });
        this.watch(message.messageId, settled);
        return;
      }
      case 'edit': {
        const { revision, initial } = decision;
        const tags = [...facts.tags, 'chat:edited'];
        await subject.edit({
          ...facts,
          tags,
          revision,
          initial,
          timestamp: revision,
          content: renderEdit(await this.inlined(message)),
        });
        return;
      }
      case 'delete':
      case 'ignore':
        if (records.length > 0) await this.producer.remember(records);
    }
  }

  private async handleDeletion(channelId: string, messageId: string, at: string): Promise<void> {
    const known = await this.known(channelId, messageId);
    const decision = decideDelete(known, await this.circumstances(channelId, messageId));
    const records = recordWrites(channelId, messageId, decision);
    if (decision.kind !== 'delete') {
      if (records.length > 0) await this.producer.remember(records);
      return;
    }
    await this.producer
      .channel(channelId)
      .message(messageId)
      .delete({
        author: known?.author ?? { id: '', name: '' },
        timestamp: at,
        content: renderDeletion(messageId, decision.authorName),
        tags: ['chat:deleted'],
        origin: { source: this.options.platformName, messageId },
        records,
      });
  }

  private async react(reaction: Reaction): Promise<void> {
    const { channelId, messageId } = reaction;
    if (!(await this.isOpen(channelId))) return;
    const known = await this.known(channelId, messageId);
    await this.reactions.take(reaction, known?.standing === 'own');
  }

  private known(channelId: string, messageId: string): Promise<Revision | undefined> {
    return this.producer.recall(revisionKey(channelId, messageId)) as Promise<Revision | undefined>;
  }

  private async circumstances(channelId: string, messageId: string): Promise<Circumstances> {
    return {
      open: await this.isOpen(channelId),
      closedDelivery: this.options.closedDelivery ?? 'addressed',
      platformEvents: this.options.platformEvents ?? false,
      predatesMemory: await this.memory.predates(channelId, messageId),
      now: this.now(),
    };
  }

  private inlined(message: ChatMessage): Promise<ChatMessage> {
    const { platform, log, inline } = this.options;
    return withInlines(message, { platform, log, limits: { ...DEFAULT_INLINE_LIMITS, ...inline } });
  }

  private async isOpen(channelId: string): Promise<boolean> {
    await this.opennessKnown.get(channelId);
    return this.producer.channel(channelId).isOpen();
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }

  /** A host opens its channels when it comes back; what was said meanwhile is for it all the same. */
  private async restoreOpenness(channelId: string): Promise<void> {
    if (await this.producer.recall(openKey(channelId))) this.producer.assumeOpen(channelId);
  }

  private async tellGap(channelId: string, { after, before }: Gap): Promise<void> {
    if (!(await this.isOpen(channelId))) return;
    await this.producer
      .channel(channelId)
      .state(`gap:${after}`)
      .set({
        eventId: `${this.options.platformName}:gap:${channelId}:${after}`,
        content: renderGap(before),
        tags: ['chat:ambient'],
        initial: true,
      });
  }

  private watch(messageId: string, settled: Promise<Settlement>): void {
    void settled.then((settlement) => {
      if (settlement.kind === 'buried')
        this.options.log.warn({ messageId, reason: settlement.reason }, 'a message never reached the agent');
    });
  }

  private async publish(params: ChannelsPublishParams): Promise<ChannelsPublishResult> {
    const delivery = await deliver(this.options.platform, params.channelId, params.content);
    if (delivery.kind === 'sent') {
      const messageId = delivery.messageIds[0];
      return { delivered: true, ...(messageId === undefined ? {} : { messageId }), messageIds: delivery.messageIds };
    }
    return { delivered: false, reason: describeDelivery(delivery) };
  }
}

const PRIVATE_LANES = 'private-lanes';

/** Private channels that are looked at again after a gap. */
const MAX_PRIVATE_LANES = 200;

const openKey = (channelId: string): string => `open:${channelId}`;

const recordWrites = (channelId: string, messageId: string, decision: Decision): RecordWrite[] =>
  decision.record
    ? [{ key: revisionKey(channelId, messageId), value: decision.record, keepMs: REVISIONS_KEPT_MS }]
    : [];

/** Whatever happens to a message later than this finds it unknown. */
const REVISIONS_KEPT_MS = 30 * 86_400_000;
