import type { Producer } from '@mcpl-bridges/producer';
import type { Reaction } from './message.js';
import { oneLine, shownName } from './render/quoting.js';

/** How a mark stands, and how often it was set. */
interface Standing {
  readonly count: number;
  readonly isSet: boolean;
}

/** For how long it is remembered that somebody marked a message, ms. */
const KEPT_MS = 30 * 86_400_000;

const MAX_EMOJI = 60;

/**
 * Tells of marks. Each setting is a subject of its own, so that one which is taken back before anybody looked leaves nothing,
 * and news that come twice are one.
 */
export class Reactions {
  constructor(private readonly producer: Producer) {}

  /** @param isOwn the message is the agent's */
  async take(reaction: Reaction, isOwn: boolean): Promise<void> {
    const { channelId, messageId, emoji, by, isAdded, at } = reaction;
    const key = `reaction:${channelId}:${messageId}:${by.id}:${emoji}`;
    const before = (await this.producer.recall(key)) as Standing | undefined;
    // Of a mark from before anything was remembered, its end is no news.
    if (isAdded === (before?.isSet ?? false)) return;
    const count = (before?.count ?? 0) + (isAdded ? 1 : 0);
    const records = [{ key, value: { count, isSet: isAdded }, keepMs: KEPT_MS }];
    const subject = this.producer
      .channel(channelId)
      .state(`reaction:${messageId}:${by.id}:${oneLine(emoji, MAX_EMOJI)}:${count}`);
    const what = `${oneLine(emoji, MAX_EMOJI)} ${isAdded ? 'to' : 'back from'} ${isOwn ? 'your message' : 'message'} ${messageId}`;
    const facts = {
      content: [
        { type: 'text' as const, text: `* ${shownName(by.name)} ${isAdded ? 'reacted with' : 'took'} ${what}` },
      ],
      timestamp: at,
      tags: ['chat:ambient', isAdded ? 'chat:reaction' : 'chat:reaction-remove', 'chat:from-human'],
      origin: { messageId, mcplChannelId: channelId, authorId: by.id, authorName: by.name, emoji },
      records,
    };
    if (isAdded) await subject.set({ ...facts, initial: true });
    else await subject.withdraw(facts);
  }
}
