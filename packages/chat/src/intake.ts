import type { Log, Producer, RecordWrite, Settlement } from '@mcpl-bridges/producer';
import type { InlineLimits } from './attachments.js';
import { withInlines } from './attachments.js';
import type { LoopGuard } from './attention/loop-guard.js';
import type { Preferences } from './attention/preferences.js';
import type { SourceHeader } from './attention/source-header.js';
import {
  type Circumstances,
  type Decision,
  decideCreate,
  decideDelete,
  decideUpdate,
  LONG_AGO_MS,
  type OtherBots,
  type Revision,
  recordOf,
  revisionKey,
} from './ledger.js';
import { type Locus, locusKey, locusOf } from './locus.js';
import type { ChatEvent, ChatMessage, Note, Reaction } from './message.js';
import type { ChatPlatform } from './platform.js';
import { seenNonce } from './publishing/poster.js';
import { Reactions } from './reactions.js';
import type { ChannelMemory, Missed, Noticed } from './reconcile/channel-memory.js';
import type { Gap } from './reconcile/plan.js';
import { withoutPreviews } from './render/body.js';
import { messageTags } from './render/tags.js';
import { type Remarks, renderCreate, renderDeletion, renderEdit, renderGap, renderNote } from './render/text.js';
import type { TellTime } from './render/times.js';
import { Storing } from './storing.js';

export interface IntakeOptions {
  readonly platformName: string;
  readonly platform: Pick<ChatPlatform, 'download'>;
  readonly producer: Producer;
  readonly memory: ChannelMemory;
  readonly preferences: Preferences;
  readonly loops: LoopGuard;
  readonly header: SourceHeader;
  readonly tellTime: TellTime;
  readonly labelOf: (locus: Locus) => string | undefined;
  readonly isOpen: (channelId: string) => Promise<boolean>;
  readonly closedDelivery: (channelId: string) => Circumstances['closedDelivery'];
  /** What was missed before a message, where it was said. */
  readonly missed: (message: ChatMessage) => Promise<Missed | undefined>;
  readonly otherBots: OtherBots;
  readonly platformEvents: boolean;
  /** Whether previews of links are shown in messages that were not sent yet. */
  readonly linkPreviews: boolean;
  readonly countsRevisions: boolean;
  /** The host has answered for a message. */
  readonly onDelivered: (message: ChatMessage) => void;
  readonly inline: InlineLimits;
  readonly log: Log;
  /** ms since the Unix epoch. */
  readonly now: () => number;
}

/** Whatever happens to a message later than this finds it unknown. */
const REVISIONS_KEPT_MS = 30 * 86_400_000;

/**
 * Understands what a platform tells against what is known of it, and hands the agent's host the occurrence that follows.
 * The events of one channel must come one after the other.
 */
export class Intake {
  private readonly reactions: Reactions;
  private readonly storing: Storing;

  constructor(private readonly options: IntakeOptions) {
    this.reactions = new Reactions(options.producer);
    this.storing = new Storing(({ message, stack }) =>
      // Not the error object: a platform's errors carry what was sent.
      options.log.error({ reason: message, stack }, 'an event could not be stored'),
    );
  }

  /** Understands `event`; resolves when the next one of its channel may come, whether it is stored by then or not. */
  async take(event: ChatEvent): Promise<void> {
    switch (event.kind) {
      case 'created':
        return this.created(this.shown(event.message));
      case 'updated':
        return this.updated(this.shown(event.message));
      case 'reacted':
        return this.reacted(event.reaction);
      case 'reactions-cleared':
        return this.reactionsCleared(event);
      case 'news':
        return this.noted(event.note);
      case 'deleted':
        for (const id of event.messageIds) await this.deleted(locusOf(event), id, event.at);
    }
  }

  /** Resolves when all that was taken is stored. */
  idle(): Promise<void> {
    return this.storing.idle();
  }

  known(channelId: string, messageId: string): Promise<Revision | undefined> {
    return this.options.producer.recall(revisionKey(channelId, messageId)) as Promise<Revision | undefined>;
  }

  /** The agent has read messages that nobody announced, as part of a history: what happens to them is for it. */
  async haveBeenRead(messages: readonly ChatMessage[]): Promise<void> {
    for (const message of messages) {
      const { channelId, messageId, author } = message;
      const known = await this.known(channelId, messageId);
      if (known && known.standing !== 'ambient') continue;
      const record = recordOf(message, author.kind === 'self' ? 'own' : 'announced');
      const noticed: Noticed = { kind: author.kind === 'self' ? 'passed' : 'announced' };
      await this.options.producer.remember([
        revisionWrite(channelId, messageId, record),
        ...(await this.options.memory.noticed(locusKey(message), messageId, noticed)),
      ]);
    }
  }

  /** More was missed in a channel than is caught up with. */
  async tellGap(locus: Locus, { after, before }: Gap): Promise<void> {
    const { channelId } = locus;
    const { producer, platformName, tellTime } = this.options;
    if (!(await this.isHeard(channelId))) return;
    const told = producer
      .channel(channelId)
      .state(`gap:${after}`)
      .set({
        eventId: `${platformName}:gap:${locusKey(locus)}:${after}`,
        content: renderGap(before, tellTime),
        tags: ['chat:ambient'],
        initial: true,
      });
    await this.storing.add(told);
  }

  private async created(message: ChatMessage): Promise<void> {
    const { channelId, messageId, author } = message;
    const known = await this.known(channelId, messageId);
    const heard = known ? message : this.options.loops.hear(message, this.options.now());
    const circumstances = await this.circumstances(message, messageId);
    const decision = decideCreate(known, heard, circumstances);
    // What the agent says elsewhere moves the talk there.
    if (!known && author.kind === 'self') this.options.header.takes(locusKey(message));
    await this.follow(heard, known, decision, circumstances);
  }

  private async updated(message: ChatMessage): Promise<void> {
    const { channelId, messageId } = message;
    const known = await this.known(channelId, messageId);
    const circumstances = await this.circumstances(message, messageId);
    await this.follow(message, known, decideUpdate(known, message, circumstances), circumstances);
  }

  private async follow(
    message: ChatMessage,
    known: Revision | undefined,
    decision: Decision,
    circumstances: Circumstances,
  ): Promise<void> {
    const { channelId, messageId, nonce } = message;
    if (decision.kind === 'create' || decision.kind === 'edit')
      return this.tell(message, known, decision, circumstances);
    if (decision.kind === 'enrich') return this.enrich(message, known, circumstances);
    const { record } = decision;
    if (!record) return;
    const noticed = noticedOf(message, circumstances);
    const records = [
      revisionWrite(channelId, messageId, record),
      ...(nonce === undefined ? [] : [seenNonce(nonce, messageId)]),
      ...(known ? [] : await this.options.memory.noticed(locusKey(message), messageId, noticed)),
    ];
    await this.storing.add(this.options.producer.remember(records));
  }

  private async tell(
    bare: ChatMessage,
    known: Revision | undefined,
    decision: Extract<Decision, { kind: 'create' | 'edit' }>,
    circumstances: Circumstances,
  ): Promise<void> {
    const { memory, header, labelOf, producer } = this.options;
    const message = await this.inlined(bare);
    const { channelId, messageId, author } = message;
    const isFirst = decision.kind === 'create' || decision.initial;
    const { threadId } = message;
    const headed = isFirst ? header.takes(locusKey(message)) : (known?.headed ?? false);
    const place = headed ? labelOf(message) : undefined;
    const missed = await this.missed(message, circumstances);
    const record = { ...decision.record, ...(headed ? { headed } : {}) };
    const facts = {
      author: { id: author.id, name: author.name },
      ...(threadId === undefined ? {} : { threadId }),
      origin: missed
        ? { ...message.origin, missedMessages: missed.messages, missedCharacters: missed.characters }
        : message.origin,
      records: [
        revisionWrite(channelId, messageId, record),
        ...(known ? [] : await memory.noticed(locusKey(message), messageId, { kind: 'announced' })),
      ],
    };
    const tags = messageTags(message);
    const subject = producer.channel(channelId).message(messageId);
    if (decision.kind === 'edit') {
      const edited = subject.edit({
        ...facts,
        tags: [...tags, 'chat:edited'],
        revision: decision.revision,
        initial: decision.initial,
        timestamp: message.editedAt ?? new Date(circumstances.now).toISOString(),
        content: renderEdit(message, { place }),
      });
      await this.storing.add(edited);
      return;
    }
    const created = subject.create({
      ...facts,
      tags,
      timestamp: message.createdAt,
      content: renderCreate(message, this.remarks(message, place, missed, circumstances)),
    });
    await this.storing.add(created.then(({ settled }) => this.watch(message, settled)));
  }

  /** Adds what there is to see now to a message that was not sent yet; of one that was, nothing new is said. */
  private async enrich(bare: ChatMessage, known: Revision | undefined, circumstances: Circumstances): Promise<void> {
    const message = await this.inlined(bare);
    const { channelId, messageId, editedAt } = message;
    const place = known?.headed ? this.options.labelOf(message) : undefined;
    const content =
      editedAt === undefined
        ? renderCreate(message, this.remarks(message, place, await this.missed(message, circumstances), circumstances))
        : renderEdit(message, { place });
    await this.storing.add(this.options.producer.channel(channelId).message(messageId).enrich(content));
  }

  private async deleted(locus: Locus, messageId: string, at: string): Promise<void> {
    const { channelId, threadId } = locus;
    const { producer, header, platformName } = this.options;
    const known = await this.known(channelId, messageId);
    const decision = decideDelete(known, await this.circumstances(locus, messageId));
    const records = decision.record ? [revisionWrite(channelId, messageId, decision.record)] : [];
    if (decision.kind !== 'delete') {
      if (records.length > 0) await this.storing.add(producer.remember(records));
      return;
    }
    if (known?.headed) header.forget();
    const deleted = producer
      .channel(channelId)
      .message(messageId)
      .delete({
        author: known?.author ?? { id: '', name: '' },
        timestamp: at,
        content: renderDeletion(messageId, decision.authorName),
        tags: ['chat:deleted'],
        ...(threadId === undefined ? {} : { threadId }),
        origin: { source: platformName, messageId },
        records,
      });
    await this.storing.add(deleted);
  }

  private remarks(
    { createdAt }: ChatMessage,
    place: string | undefined,
    missed: Missed | undefined,
    { now }: Circumstances,
  ): Remarks {
    const isLate = now - Date.parse(createdAt) > LONG_AGO_MS;
    return { tellTime: this.options.tellTime, place, isLate, missed: missed?.messages ?? 0 };
  }

  private async missed(message: ChatMessage, { open, closedDelivery }: Circumstances): Promise<Missed | undefined> {
    return open || closedDelivery === 'all' ? undefined : this.options.missed(message);
  }

  private async reacted(reaction: Reaction): Promise<void> {
    const { channelId, messageId } = reaction;
    if (!(await this.isHeard(channelId))) return;
    const known = await this.known(channelId, messageId);
    const told = await this.reactions.take(reaction, known?.standing === 'own');
    if (told) await this.storing.add(told.stored);
  }

  private async reactionsCleared(event: Extract<ChatEvent, { kind: 'reactions-cleared' }>): Promise<void> {
    const { messageId, emoji, at } = event;
    for (const mark of await this.reactions.setOn(event.channelId, messageId))
      if (emoji === undefined || mark.emoji === emoji)
        await this.reacted({ ...mark, ...locusOf(event), messageId, isAdded: false, isCleared: true, at });
  }

  private async noted({ channelId, key, text, at }: Note): Promise<void> {
    const { producer, platformEvents, platformName } = this.options;
    const recordKey = `note:${channelId}:${key}`;
    if (!platformEvents || !(await this.isHeard(channelId)) || (await producer.recall(recordKey))) return;
    const told = producer
      .channel(channelId)
      .state(`note:${key}`)
      .set({
        eventId: `${platformName}:note:${channelId}:${key}`,
        content: renderNote(text),
        tags: ['chat:ambient'],
        initial: true,
        timestamp: at,
        records: [{ key: recordKey, value: true, keepMs: REVISIONS_KEPT_MS }],
      });
    await this.storing.add(told);
  }

  private async isHeard(channelId: string): Promise<boolean> {
    return !this.options.preferences.isMuted(channelId) && (await this.options.isOpen(channelId));
  }

  /** As the operator wants messages to be shown. */
  private shown(message: ChatMessage): ChatMessage {
    return this.options.linkPreviews ? message : { ...message, inserts: withoutPreviews(message.inserts) };
  }

  private async circumstances(locus: Locus, messageId: string): Promise<Circumstances> {
    const { isOpen, closedDelivery, otherBots, platformEvents, countsRevisions, preferences, memory, now } =
      this.options;
    const { channelId } = locus;
    return {
      open: await isOpen(channelId),
      closedDelivery: closedDelivery(channelId),
      otherBots,
      muted: preferences.isMuted(channelId),
      platformEvents,
      countsRevisions,
      predatesMemory: await memory.predates(locusKey(locus), messageId),
      now: now(),
    };
  }

  private inlined(message: ChatMessage): Promise<ChatMessage> {
    const { platform, log, inline } = this.options;
    return withInlines(message, { platform, log, limits: inline });
  }

  private watch(message: ChatMessage, settled: Promise<Settlement>): void {
    void settled.then((settlement) => {
      if (settlement.kind === 'delivered') this.options.onDelivered(message);
      if (settlement.kind === 'buried')
        this.options.log.warn(
          { messageId: message.messageId, reason: settlement.reason },
          'a message never reached the agent',
        );
    });
  }
}

const revisionWrite = (channelId: string, messageId: string, record: Revision): RecordWrite => ({
  key: revisionKey(channelId, messageId),
  value: record,
  keepMs: REVISIONS_KEPT_MS,
});

/** What a message that is not told of counts for. */
const noticedOf = ({ author, event, text }: ChatMessage, { open, muted }: Circumstances): Noticed =>
  open || muted || author.kind === 'self' || event !== undefined
    ? { kind: 'passed' }
    : { kind: 'missed', characters: text.length };
