import type { ChatPlatform, NoncedPart } from '@mcpl-bridges/chat';
import { MessageReferenceType, type REST, type RESTPostAPIChannelMessageJSONBody, Routes } from 'discord.js';
import { discordChannelId } from '../channel-ids.js';
import { asked } from './asked.js';

/** Discord's limit of one message, UTF-16 units; Discord counts more kindly, never less so. */
export const MAX_TEXT_UNITS = 2000;

const DEFAULT_ACKNOWLEDGEMENT = '👀';

export interface DiscordPlatformOptions {
  readonly rest: Pick<REST, 'post' | 'put' | 'patch' | 'delete'>;
  /** Messages are read by whoever knows the names of Discord. */
  readonly history: ChatPlatform['history'];
  readonly download: ChatPlatform['download'];
}

/** An emoji as addresses have it: itself, or `name:id` of a server's own, which text has as `<:name:id>`. */
const emojiPath = (emoji: string): string => encodeURIComponent(emoji.trim().replace(/^<a?:(\w+:\d+)>$/, '$1'));

const bodyOf = (part: NoncedPart): RESTPostAPIChannelMessageJSONBody => ({
  content: part.text,
  nonce: part.nonce,
  enforce_nonce: true,
  // Only people named in the text are pinged: never roles, never everyone.
  allowed_mentions: { parse: ['users' as never], replied_user: true },
  ...(part.replyTo === undefined
    ? {}
    : {
        message_reference: { type: MessageReferenceType.Default, message_id: part.replyTo, fail_if_not_exists: false },
      }),
});

/** Posting to Discord over REST; works whether or not the gateway is connected. */
export const discordPlatform = ({ rest, history, download }: DiscordPlatformOptions): ChatPlatform => ({
  maxTextUnits: MAX_TEXT_UNITS,
  history,
  download,
  send: async ({ channelId }, part) => {
    const files = part.files.map(({ name, bytes, mimeType }) => ({
      name,
      data: Buffer.from(bytes),
      contentType: mimeType,
    }));
    const message = await asked(
      rest.post(Routes.channelMessages(discordChannelId(channelId)), { body: bodyOf(part), files }),
    );
    return (message as { id: string }).id;
  },
  edit: async (channelId, messageId, text) => {
    const body = { content: text, allowed_mentions: { parse: ['users'] } };
    await asked(rest.patch(Routes.channelMessage(discordChannelId(channelId), messageId), { body }));
  },
  delete: async (channelId, messageId) => {
    await asked(rest.delete(Routes.channelMessage(discordChannelId(channelId), messageId)));
  },
  react: async (channelId, messageId, emoji, add) => {
    const route = Routes.channelMessageOwnReaction(discordChannelId(channelId), messageId, emojiPath(emoji));
    await asked(add ? rest.put(route) : rest.delete(route));
  },
  typing: async ({ channelId }) => {
    await rest.post(Routes.channelTyping(discordChannelId(channelId))).catch(() => undefined);
  },
  acknowledge: async (channelId, messageId, value) => {
    const emoji = value?.trim() || DEFAULT_ACKNOWLEDGEMENT;
    await asked(rest.put(Routes.channelMessageOwnReaction(discordChannelId(channelId), messageId, emojiPath(emoji))));
    return emoji;
  },
});
