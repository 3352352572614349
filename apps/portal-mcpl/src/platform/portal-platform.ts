import { type ChatMessage, type ChatPlatform, type HistoryQuery, SendRefused } from '@mcpl-bridges/chat';
import { CallRefused, CallUnknown, NotConnected, type PortalMessage } from '@mcpl-bridges/portal-client';
import { containerAt, containerOf, portalChannelId, relayMessageId } from '../ids.js';
import type { PortalGateway } from '../relay/gateway.js';
import { around } from './around.js';
import { asked } from './explain.js';
import { missedIn } from './missed.js';
import { Posting } from './posting.js';

/** Discord's limit of one message, UTF-16 units; Discord counts more kindly, never less so. */
const MAX_TEXT_UNITS = 2000;

/** What a relay puts before a post, UTF-16 units: for each mention, and for a reply. */
const UNITS = { mention: 26, reply: 120 };

const DEFAULT_ACKNOWLEDGEMENT = '👀';

const MESSAGE_ID = /^(rm_\d+_)?\d+$/;

/** Talking through a relay. */
export const portalPlatform = (gateway: PortalGateway, download: ChatPlatform['download']): ChatPlatform => {
  const { relay, reader, directory } = gateway;
  const posting = new Posting(gateway);

  const react = async (messageId: string, emoji: string, add: boolean): Promise<void> => {
    // A mark that only the relay knows reaches nobody else.
    if (add) await asked(relay.call('react', { messageId, emoji, visible: false, native: true }));
    else await asked(relay.call('unreact', { messageId, emoji, native: true }));
  };

  /** Newest first. */
  const page = async (
    container: string,
    { limit, before, around: middle }: HistoryQuery,
  ): Promise<readonly PortalMessage[]> => {
    const wrong = [before, middle].find((id) => id !== undefined && !MESSAGE_ID.test(id));
    // Relays take no notice of a cursor that is none.
    if (wrong !== undefined) throw new SendRefused(`${wrong} is no message id; use one as in fetch_history`);
    // A forum has threads, and no messages of its own.
    if (directory.get(container)?.type === 'forum') return [];
    if (middle !== undefined) return around(relay, container, relayMessageId(container, middle), limit);
    return relay.history(container, limit, before === undefined ? undefined : relayMessageId(container, before));
  };

  return {
    maxTextUnits: MAX_TEXT_UNITS,
    unitsBefore: ({ replyTo, mentions = [] }) =>
      mentions.length * UNITS.mention + (replyTo === undefined ? 0 : UNITS.reply),
    mentionsAgents: true,
    locusOf: (messageId) => {
      const container = containerOf(messageId);
      return container === undefined ? undefined : gateway.locusOf(container);
    },
    send: async (locus, part) => {
      const container = containerAt(locus);
      const id = await asked(posting.once(container, part));
      const landed = containerOf(id) ?? container;
      gateway.posted(gateway.locusOf(landed), id, part.text);
      if (landed !== container)
        throw new SendRefused(`the relay has posted it elsewhere, in ${landed} as ${id}: delete it there`);
      return id;
    },
    edit: async (_channelId, messageId, content) => {
      await asked(relay.call('edit_message', { messageId, content }));
    },
    delete: async (_channelId, messageId) => {
      await asked(relay.call('delete_message', { messageId }));
    },
    react: (_channelId, messageId, emoji, add) => react(messageId, emoji, add),
    history: async (locus, query) => {
      const messages: ChatMessage[] = [];
      for (const message of [...(await asked(page(containerAt(locus), query)))].reverse())
        messages.push(await reader.read(message));
      return messages;
    },
    download,
    typing: async (locus) => {
      await relay.call('set_typing', { channelId: containerAt(locus) }).catch(() => undefined);
    },
    acknowledge: async (channelId, messageId, value) => {
      const emoji = value?.trim() || DEFAULT_ACKNOWLEDGEMENT;
      await react(messageId, emoji, true);
      gateway.noticed(channelId, messageId);
      return emoji;
    },
    passOver: async (channelId) => {
      await relay.call('mark_read', { channelId: portalChannelId(channelId) }).catch(() => undefined);
    },
    missed: async (channelId, told, before) => {
      try {
        const ask = () => missedIn(relay, portalChannelId(channelId), told, before);
        return await (before ? relay.patiently(ask) : ask());
      } catch (error) {
        if (error instanceof CallRefused || error instanceof CallUnknown || error instanceof NotConnected)
          return undefined;
        throw error;
      }
    },
  };
};
