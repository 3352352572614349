import { type ChatMessage, isNewer, type Missed } from '@mcpl-bridges/chat';
import { timeOfId } from '../ids.js';
import type { Relay } from '../relay/relay.js';

/** Messages behind one that are looked through to tell what came before it. */
const REACH = 100;

/**
 * What was said in a channel since it was marked as read, by the relay's own count, without what the agent was told all the
 * same: all of it, or what came before one message. The relay counts on meanwhile, so that what came behind that message is
 * taken off.
 */
export const missedIn = async (
  relay: Pick<Relay, 'call' | 'history'>,
  channelId: string,
  told: readonly string[],
  before: ChatMessage | undefined,
): Promise<Missed | undefined> => {
  const tally = await relay.call('channel_missed', { channelId });
  const { lastMessageId } = tally;
  const since = tally.since === undefined ? 0 : Date.parse(tally.since);
  const toldSince = told.filter((id) => id !== before?.messageId && timeOfId(id) > since).length;
  const isLast = before === undefined || lastMessageId === undefined || !isNewer(lastMessageId, before.messageId);
  const behind = isLast
    ? []
    : (await relay.history(channelId, REACH)).filter(
        ({ id }) => isNewer(id, before.messageId) && !isNewer(id, lastMessageId) && !told.includes(id),
      );
  const behindCharacters = behind.reduce((sum, { cleanContent }) => sum + cleanContent.length, 0);
  const messages = tally.messages - toldSince - behind.length - (before ? 1 : 0);
  const characters = tally.characters - behindCharacters - (before?.text.length ?? 0);
  return messages > 0 ? { messages, characters: Math.max(0, characters), after: '' } : undefined;
};
