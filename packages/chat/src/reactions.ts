import type { Producer } from '@mcpl-bridges/producer';
import type { Reaction } from './message.js';
import { oneLine, shownName } from './render/quoting.js';

/** How a mark stands, and how often it was set. */
interface Standing {
  readonly count: number;
  readonly isSet: boolean;
}

/** Who has set which mark. */
export type Mark = Pick<Reaction, 'by' | 'emoji'>;

/** For how long it is remembered that somebody marked a message, ms. */
const KEPT_MS = 30 * 86_400_000;

const MAX_EMOJI = 60;

/** Marks of one message that are remembered together, for when they are cleared together. */
const MAX_MARKS = 100;

const marksKey = (channelId: string, messageId: string): string => `reactions:${channelId}:${messageId}`;

const isSame = (a: Mark, b: Mark): boolean => a.by.id === b.by.id && a.emoji === b.emoji;

/**
 * Tells of marks. Each setting is a subject of its own, so that one which is taken back before anybody looked leaves nothing,
 * and news that come twice are one.
 */
export class Reactions {
  constructor(private readonly producer: Producer) {}

  /** The marks that the agent was told of and that still stand. */
  async setOn(channelId: string, messageId: string): Promise<readonly Mark[]> {
    return ((await this.producer.recall(marksKey(channelId, messageId))) as readonly Mark[] | undefined) ?? [];
  }

  /** @param isOwn the message is the agent's @returns nothing where this is no news */
  async take(reaction: Reaction, isOwn: boolean): Promise<{ readonly stored: Promise<unknown> } | undefined> {
    const { channelId, threadId, messageId, emoji, by, isAdded, at } = reaction;
    const key = `reaction:${channelId}:${messageId}:${by.id}:${emoji}`;
    const before = (await this.producer.recall(key)) as Standing | undefined;
    // Of a mark from before anything was remembered, its end is no news.
    if (isAdded === (before?.isSet ?? false)) return undefined;
    const count = (before?.count ?? 0) + (isAdded ? 1 : 0);
    const mark = { by, emoji };
    const others = (await this.setOn(channelId, messageId)).filter((one) => !isSame(one, mark));
    const marks = isAdded ? [...others, mark].slice(-MAX_MARKS) : others;
    const subject = this.producer
      .channel(channelId)
      .state(`reaction:${messageId}:${by.id}:${oneLine(emoji, MAX_EMOJI)}:${count}`);
    const facts = {
      content: [{ type: 'text' as const, text: `* ${sentence(reaction, isOwn)}` }],
      timestamp: at,
      tags: [
        'chat:ambient',
        isAdded ? 'chat:reaction' : 'chat:reaction-remove',
        by.isAgent ? 'chat:from-agent' : 'chat:from-human',
      ],
      origin: {
        messageId,
        mcplChannelId: channelId,
        authorId: by.id,
        authorName: by.name,
        emoji,
        ...(threadId === undefined ? {} : { threadId }),
      },
      records: [
        { key, value: { count, isSet: isAdded }, keepMs: KEPT_MS },
        { key: marksKey(channelId, messageId), value: marks, keepMs: KEPT_MS },
      ],
    };
    return { stored: isAdded ? subject.set({ ...facts, initial: true }) : subject.withdraw(facts) };
  }
}

const sentence = ({ messageId, emoji, by, isAdded, isCleared }: Reaction, isOwn: boolean): string => {
  const mark = oneLine(emoji, MAX_EMOJI);
  const name = shownName(by.name);
  const message = `${isOwn ? 'your message' : 'message'} ${messageId}`;
  if (isAdded) return `${name} reacted with ${mark} to ${message}`;
  return isCleared ? `${mark} of ${name} was cleared from ${message}` : `${name} took ${mark} back from ${message}`;
};
