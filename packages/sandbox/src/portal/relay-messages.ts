import type { MessageAuthor, PortalChannel, PortalMessage, ReactionActor } from '@mcpl-bridges/portal-client';
import { type Channel, ChannelType, isThread, type Message } from '../world/entities.js';
import type { World } from '../world/world.js';
import type { RelayPersona } from './personas.js';

/** Where a message stands: its channel, or the parent and the thread. */
export interface Container {
  readonly channelId: string;
  readonly threadId?: string;
}

export const containerOf = (world: World, channelId: string): Container => {
  const channel = world.channels.get(channelId);
  return channel && isThread(channel) && channel.parent_id
    ? { channelId: channel.parent_id, threadId: channel.id }
    : { channelId };
};

export const relayId = ({ channelId, threadId }: Container, messageId: string): string =>
  `rm_${threadId ?? channelId}_${messageId}`;

/** Discord's id of a message, by the relay's id or by itself; nothing for what is neither. */
export const nativeId = (id: string): string | undefined => /^(?:rm_\d+_)?(\d+)$/.exec(id)?.[1];

const TYPES: Readonly<Record<number, PortalChannel['type']>> = {
  [ChannelType.GuildText]: 'text',
  [ChannelType.GuildAnnouncement]: 'text',
  [ChannelType.GuildVoice]: 'voice',
  [ChannelType.GuildStageVoice]: 'voice',
  [ChannelType.GuildCategory]: 'category',
  [ChannelType.AnnouncementThread]: 'thread',
  [ChannelType.PublicThread]: 'thread',
  [ChannelType.PrivateThread]: 'thread',
  [ChannelType.GuildForum]: 'forum',
  [ChannelType.GuildMedia]: 'forum',
};

export const portalChannel = (channel: Channel, capabilities: PortalChannel['capabilities']): PortalChannel => ({
  id: channel.id,
  guildId: channel.guild_id ?? null,
  name: channel.name ?? null,
  type: TYPES[channel.type] ?? 'unknown',
  ...(channel.parent_id ? { parentId: channel.parent_id } : {}),
  ...(isThread(channel) ? { archived: channel.thread_metadata?.archived ?? false } : {}),
  capabilities,
});

/** What the relay knows of messages that Discord does not. */
export interface RelayMemory {
  /** Who had the relay post a message. */
  authorOf(messageId: string): RelayPersona | undefined;
  /** Whose role it is. */
  personaOfRole(roleId: string): string | undefined;
}

const readable = (world: World, { content, mentions, channel_id }: Message): string =>
  content
    .replace(/<a?(:\w+:)\d+>/g, '$1')
    .replace(/<@!?(\d+)>/g, (whole, id: string) => {
      const user = mentions.find((one) => one.id === id);
      return user ? `@${user.global_name ?? user.username}` : whole;
    })
    .replace(/<@&(\d+)>/g, (whole, id: string) => {
      const guild = world.guilds.get(world.channels.get(channel_id)?.guild_id ?? '');
      const name = guild?.roles.get(id)?.name;
      return name === undefined ? whole : `@${name}`;
    })
    .replace(/<#(\d+)>/g, (whole, id: string) => {
      const name = world.channels.get(id)?.name;
      return name === undefined ? whole : `#${name}`;
    });

const authorOf = (message: Message, persona: RelayPersona | undefined): MessageAuthor => {
  if (persona) return { kind: 'persona', personaId: persona.id, displayName: persona.name, avatarUrl: '' };
  const { author, webhook_id } = message;
  return {
    kind: 'user',
    userId: webhook_id ?? author.id,
    username: author.username,
    displayName: author.global_name ?? author.username,
    bot: author.bot === true || webhook_id !== undefined,
  };
};

/** Never with `editedAt`: relays do not send it. */
export const portalMessage = (world: World, message: Message, memory: RelayMemory): PortalMessage => {
  const where = containerOf(world, message.channel_id);
  const reference = message.message_reference as { type?: number; message_id?: string } | undefined;
  const replied = reference?.type === 1 ? undefined : reference?.message_id;
  return {
    id: relayId(where, message.id),
    nativeId: message.id,
    ...where,
    guildId: world.channels.get(message.channel_id)?.guild_id ?? null,
    author: authorOf(message, memory.authorOf(message.id)),
    content: message.content,
    cleanContent: readable(world, message),
    attachments: message.attachments.map(({ id, filename, url, size, content_type }) => ({
      id,
      name: filename,
      url,
      size,
      contentType: (content_type as string | undefined) ?? null,
    })),
    mentions: {
      personas: message.mention_roles.flatMap((role) => memory.personaOfRole(role) ?? []),
      roles: message.mention_roles,
      users: message.mentions.map(({ id }) => id),
      everyone: message.mention_everyone,
    },
    ...(replied === undefined ? {} : { replyToId: relayId(where, replied) }),
    reactions: (world.reactions.get(message.id) ?? []).map(({ emoji, users }) => ({
      emoji: emojiText(emoji),
      count: users.size,
      kind: 'native' as const,
      by: [],
    })),
    createdAt: new Date(message.timestamp).toISOString(),
  };
};

export const emojiText = ({ id, name }: { readonly id: string | null; readonly name: string }): string =>
  id === null ? name : `${name}:${id}`;

export const actorOf = (world: World, userId: string): ReactionActor => {
  const user = world.users.get(userId);
  return { kind: 'user', id: userId, name: user?.global_name ?? user?.username ?? userId };
};
