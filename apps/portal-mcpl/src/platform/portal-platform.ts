import {
  type ChatMessage,
  type ChatPlatform,
  type HistoryQuery,
  type Locus,
  type NoncedPart,
  SendRefused,
} from '@mcpl-bridges/chat';
import { CallRefused, CallUnknown, NotConnected, type PortalMessage } from '@mcpl-bridges/portal-client';
import { containerOf, portalChannelId, relayMessageId } from '../ids.js';
import type { PortalGateway } from '../relay/gateway.js';
import { isPosted } from '../relay/sending.js';
import { around } from './around.js';
import { asked } from './explain.js';
import { missedIn } from './missed.js';

/** Discord's limit of one message, UTF-16 units; Discord counts more kindly, never less so. */
const MAX_TEXT_UNITS = 2000;

/** What a relay puts before a post, UTF-16 units: for each mention, and for a reply. */
const UNITS = { mention: 26, reply: 120 };

const MAX_FILES = 10;
const MAX_FILE_BYTES = 8 * 1_048_576;

/** How long a post whose answer was lost waits for the relay to come back, ms. */
const RETURN_MS = 20_000;

/** Posts among which one is looked for whose answer was lost. */
const LOOK_BACK = 25;

/** The relay's clock, or Discord's, may be behind by so much, ms. */
const SKEW_MS = 5000;

const DEFAULT_ACKNOWLEDGEMENT = '👀';

const containerAt = ({ channelId, threadId }: Locus): string => threadId ?? portalChannelId(channelId);

/** Posting through a relay. */
export const portalPlatform = (gateway: PortalGateway, download: ChatPlatform['download']): ChatPlatform => {
  const { relay, reader, sending } = gateway;
  const react = async (messageId: string, emoji: string, add: boolean): Promise<void> => {
    // A mark that only the relay knows reaches nobody else.
    if (add) await asked(relay.call('react', { messageId, emoji, visible: false, native: true }));
    else await asked(relay.call('unreact', { messageId, emoji, native: true }));
  };
  const readAll = async (newestFirst: readonly PortalMessage[]): Promise<ChatMessage[]> => {
    const messages: ChatMessage[] = [];
    for (const message of [...newestFirst].reverse()) messages.push(await reader.read(message));
    return messages;
  };

  /** A post of ours that stands there already; `undefined` where none does. */
  const findPosted = async (container: string, { text }: NoncedPart, since: number): Promise<string | undefined> => {
    const found = await relay.history(container, LOOK_BACK);
    for (const message of [...found].reverse()) {
      const isOurs = message.author.kind === 'persona' && message.author.personaId === gateway.personaId;
      const isLookalike = !isOurs && (await sending.isOwn(message, gateway.name));
      const isRecent = Date.parse(message.createdAt) >= since - SKEW_MS;
      if ((isOurs || isLookalike) && isRecent && !sending.isAnswered(message.id) && isPosted(message, text)) {
        sending.answered(message.id);
        return message.id;
      }
    }
    return undefined;
  };

  const post = async (container: string, part: NoncedPart): Promise<string> => {
    const { text, files, replyTo, mentions } = part;
    const { messageId } = await relay.call('send_message', {
      channelId: container,
      ...(text === '' ? {} : { content: text }),
      ...(replyTo === undefined ? {} : { replyToId: relayMessageId(container, replyTo) }),
      ...(mentions ? { mentionPersonaIds: mentions } : {}),
      ...(files.length === 0
        ? {}
        : {
            files: files.map(({ name, bytes, mimeType }) => ({
              name,
              bytes: Buffer.from(bytes).toString('base64'),
              contentType: mimeType,
            })),
          }),
    });
    return messageId;
  };

  /** Once, as far as anybody can know: what may stand there already is looked for before it is posted again. */
  const postOnce = async (container: string, part: NoncedPart): Promise<string> => {
    const begunAt = gateway.now();
    if (part.attemptedAt !== undefined) {
      const found = await findPosted(container, part, part.attemptedAt);
      if (found !== undefined) return found;
    }
    try {
      return await sending.post(container, part.text, () => post(container, part));
    } catch (error) {
      if (!(error instanceof CallUnknown)) throw error;
      await relay.whenIn(RETURN_MS);
      const found = await findPosted(container, part, begunAt);
      return found ?? (await sending.post(container, part.text, () => post(container, part)));
    }
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
      checkFiles(part);
      const container = containerAt(locus);
      const id = await asked(postOnce(container, part));
      const landed = containerOf(id);
      gateway.posted(landed === undefined ? locus : gateway.locusOf(landed), id, part.text);
      if (landed !== undefined && landed !== container)
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
    history: async (locus, query) => readAll(await asked(page(containerAt(locus), query))),
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

  async function page(container: string, { limit, before, around: middle }: HistoryQuery) {
    const wrong = [before, middle].find((id) => id !== undefined && !/^(rm_\d+_)?\d+$/.test(id));
    // Relays take no notice of a cursor that is none.
    if (wrong !== undefined) throw new SendRefused(`${wrong} is no message id; use one as in fetch_history`);
    // A forum has threads, and no messages of its own.
    if (gateway.directory.get(container)?.type === 'forum') return [];
    if (middle !== undefined) return around(relay, container, relayMessageId(container, middle), limit);
    return relay.history(container, limit, before === undefined ? undefined : relayMessageId(container, before));
  }
};

const checkFiles = ({ files }: NoncedPart): void => {
  if (files.length > MAX_FILES)
    throw new SendRefused(
      `these are ${files.length} files; one message holds ${MAX_FILES}: send the others on their own`,
    );
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (bytes > MAX_FILE_BYTES)
    throw new SendRefused(
      `the files have ${bytes} bytes together; a message holds ${MAX_FILE_BYTES}: send less, or a link`,
    );
};
