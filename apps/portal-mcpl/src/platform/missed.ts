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
  const toldSince = told.filter((id) => id !== before?.messageId && timeOfId(id) > since);
  const isLast = before === undefined || lastMessageId === undefined || !isNewer(lastMessageId, before.messageId);
  const recent = isLast && toldSince.length === 0 ? [] : await relay.history(channelId, REACH);
  const behind = isLast
    ? []
    : recent.filter(({ id }) => isNewer(id, before.messageId) && !isNewer(id, lastMessageId) && !told.includes(id));
  const messages = tally.messages - toldSince.length - behind.length - (before ? 1 : 0);
  const heard = [...behind, ...recent.filter(({ id }) => toldSince.includes(id))];
  const heardCharacters = heard.reduce((sum, { cleanContent }) => sum + cleanContent.length, 0);
  const characters = tally.characters - heardCharacters - (before?.text.length ?? 0);
  return messages > 0 ? { messages, characters: Math.max(0, characters), after: '' } : undefined;
};
