import type { ChatAuthor, ChatMessage } from '@mcpl-bridges/chat';
import type { GatewayMessageCreateDispatchData } from 'discord.js';
import { type Readable, toAttachment, toInserts } from './inserts.js';
import { platformEvent } from './platform-events.js';

/** What is known of the place a packet comes from. */
export interface Place {
  /** MCPL channel id. */
  readonly channelId: string;
  readonly guildId: string | undefined;
  readonly guildName: string | undefined;
  readonly channelName: string;
  readonly isThread: boolean;
}

export interface Self {
  readonly id: string;
  /** Roles that stand for the bot itself: the managed role of its integration. */
  readonly roleIds: readonly string[];
}

/** Looks names up that a packet does not carry; `undefined` where nobody knows. */
export interface Names {
  role(id: string): string | undefined;
  channel(id: string): string | undefined;
}

const authorOf = (packet: GatewayMessageCreateDispatchData, self: Self): ChatAuthor => {
  const { author, member, webhook_id } = packet;
  const name = member?.nick ?? author.global_name ?? author.username;
  if (author.id === self.id) return { id: author.id, name, kind: 'self' };
  if (webhook_id !== undefined) return { id: webhook_id, name: author.username, kind: 'webhook' };
  return { id: author.id, name, kind: author.bot ? 'bot' : 'human' };
};

/** Mentions as the names people see: `<@1>` becomes `@alice`, and a custom emoji `:wave:`. */
const readableBy = (packet: GatewayMessageCreateDispatchData, names: Names): Readable => {
  const users = new Map(
    packet.mentions.map((user) => [user.id, user.member?.nick ?? user.global_name ?? user.username]),
  );
  return (text) =>
    text
      .replace(/<a?(:\w+:)\d+>/g, '$1')
      .replace(/<@!?(\d+)>/g, (whole, id: string) => (users.has(id) ? `@${users.get(id)}` : whole))
      .replace(/<@&(\d+)>/g, (whole, id: string) => (names.role(id) === undefined ? whole : `@${names.role(id)}`))
      .replace(/<#(\d+)>/g, (whole, id: string) => (names.channel(id) === undefined ? whole : `#${names.channel(id)}`));
};

/**
 * An instant as `2026-01-01T00:00:00.123456Z`, always with six digits. Discord counts microseconds and leaves zeros out;
 * two edits can share a millisecond.
 */
const instant = (timestamp: string): string => {
  const [whole = ''] = new Date(timestamp).toISOString().split('.');
  const digits = /\.(\d{1,6})/.exec(timestamp)?.[1] ?? '';
  return `${whole}.${digits.padEnd(6, '0')}Z`;
};

/** A full message packet as the bridge understands messages. Pure. */
export const toChatMessage = (
  packet: GatewayMessageCreateDispatchData,
  place: Place,
  self: Self,
  names: Names,
): ChatMessage => {
  const author = authorOf(packet, self);
  const isExplicitMention = new RegExp(`<@!?${self.id}>`).test(packet.content);
  const isRoleMention = packet.mention_roles.some((id) => self.roleIds.includes(id));
  const replied = packet.message_reference?.type === 1 ? undefined : packet.message_reference?.message_id;
  const repliedAuthor = packet.referenced_message?.author;
  const isReplyToBot = replied !== undefined && repliedAuthor?.id === self.id;
  const isDM = place.guildId === undefined;
  const isMention = isExplicitMention || isRoleMention;
  const readable = readableBy(packet, names);
  const event = platformEvent(packet.type);
  return {
    channelId: place.channelId,
    messageId: packet.id,
    author,
    text: readable(packet.content),
    attachments: packet.attachments.map(toAttachment),
    inserts: toInserts(packet, readable),
    ...(event === undefined ? {} : { event }),
    addressing: { mention: isMention, replyToAgent: isReplyToBot, broadcast: packet.mention_everyone, direct: isDM },
    inThread: place.isThread,
    createdAt: instant(packet.timestamp),
    ...(packet.edited_timestamp ? { editedAt: instant(packet.edited_timestamp) } : {}),
    ...(replied === undefined
      ? {}
      : {
          replyTo: {
            messageId: replied,
            ...(repliedAuthor ? { authorName: repliedAuthor.global_name ?? repliedAuthor.username } : {}),
            ...(packet.referenced_message?.content ? { text: readable(packet.referenced_message.content) } : {}),
          },
        }),
    ...(author.kind === 'self' && packet.nonce !== undefined ? { nonce: String(packet.nonce) } : {}),
    origin: {
      source: 'discord',
      messageId: packet.id,
      ...(place.guildId === undefined ? {} : { guildId: place.guildId, guildName: place.guildName }),
      channelId: packet.channel_id,
      mcplChannelId: place.channelId,
      ...(place.isThread ? { threadName: place.channelName } : { channelName: place.channelName }),
      authorId: author.id,
      authorName: author.name,
      ...(replied === undefined ? {} : { replyTo: replied, replyToAuthorId: repliedAuthor?.id }),
      isMention,
      isExplicitMention,
      isReplyToBot,
      isBot: author.kind === 'bot' || author.kind === 'webhook',
      isDM,
    },
  };
};
