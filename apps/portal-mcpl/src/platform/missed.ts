import { type ChatMessage, isNewer, type Missed } from '@mcpl-bridges/chat';
import type { Relay } from '../relay/relay.js';

/** Messages behind one that are looked through to tell what came before it. */
const REACH = 100;

/**
 * What was said in a channel since it was marked as read, by the relay's own count: all of it, or what came before one
 * message. The relay counts on meanwhile, so that what came behind that message is taken off.
 */
export const missedIn = async (
  relay: Pick<Relay, 'call' | 'history'>,
  channelId: string,
  before: ChatMessage | undefined,
): Promise<Missed | undefined> => {
  const { messages, characters, lastMessageId } = await relay.call('channel_missed', { channelId });
  if (before === undefined) return { messages, characters, after: '' };
  const { messageId, text } = before;
  const isLast = lastMessageId === undefined || !isNewer(lastMessageId, messageId);
  const behind = isLast
    ? []
    : (await relay.history(channelId, REACH)).filter(({ id }) => isNewer(id, messageId) && !isNewer(id, lastMessageId));
  const behindCharacters = behind.reduce((sum, { cleanContent }) => sum + cleanContent.length, 0);
  const missed = messages - 1 - behind.length;
  return missed > 0
    ? { messages: missed, characters: characters - text.length - behindCharacters, after: '' }
    : undefined;
};
