import { type Attachment, type Channel, isPrivate, isThread, type Json, type Message, type User } from './entities.js';
import type { World } from './world.js';

export interface NewMessage {
  readonly channel: Channel;
  readonly author: User;
  readonly content: string;
  readonly attachments?: Attachment[];
  readonly embeds?: Json[];
  readonly reference?: { readonly type: number; readonly messageId: string };
  readonly nonce?: string | number;
  readonly webhookId?: string;
  /** `MessageType`; 0 is an ordinary message. */
  readonly type?: number;
  readonly flags?: number;
  /** Which mentions ping, as `allowed_mentions.parse` has it. Default all. */
  readonly parse?: readonly ('users' | 'roles' | 'everyone')[];
  readonly components?: Json[];
  /** Further members: a poll, stickers, snapshots of a forward. */
  readonly extra?: Json;
}

const USER_MENTION = /<@!?(\d+)>/g;
const ROLE_MENTION = /<@&(\d+)>/g;

const mentionsIn = (
  world: World,
  content: string,
  parse: NewMessage['parse'] = ['users', 'roles', 'everyone'],
): Pick<Message, 'mentions' | 'mention_roles' | 'mention_everyone'> => ({
  mentions: parse.includes('users')
    ? [...new Set([...content.matchAll(USER_MENTION)].map((match) => match[1] ?? ''))].flatMap((id) => {
        const user = world.users.get(id);
        return user ? [user] : [];
      })
    : [],
  mention_roles: parse.includes('roles') ? [...content.matchAll(ROLE_MENTION)].map((match) => match[1] ?? '') : [],
  mention_everyone: parse.includes('everyone') && /@(everyone|here)/.test(content),
});

/** A message as REST answers it: reactions from one reader's point of view, the replied-to message embedded. */
export const messageView = (world: World, message: Message, readerId: string): Json => {
  const reactions = world.reactions.get(message.id);
  const reference = message.message_reference as { type?: number; message_id?: string } | undefined;
  const thread = world.channels.get(message.id);
  return {
    ...message,
    ...(thread ? { thread } : {}),
    ...(reactions?.length
      ? {
          reactions: reactions.map(({ emoji, users }) => ({
            emoji,
            count: users.size,
            count_details: { burst: 0, normal: users.size },
            me: users.has(readerId),
            me_burst: false,
            burst_colors: [],
          })),
        }
      : {}),
    ...(reference?.type === 0
      ? { referenced_message: world.messagesOf(message.channel_id).get(reference.message_id ?? '') ?? null }
      : {}),
  };
};

/** The guild member behind an account, without the account itself; nothing in a private channel. */
const memberIn = (world: World, channel: Channel, userId: string): { member?: Json } => {
  const found = world.guilds.get(channel.guild_id ?? '')?.members.get(userId);
  if (!found) return {};
  const { user: _user, ...member } = found;
  return { member };
};

/** What the gateway adds to a message: its guild and channel type, and the members behind its people. */
const gatewayView = (world: World, message: Message, channel: Channel): Json => ({
  ...messageView(world, message, ''),
  ...(world.sendsChannelType ? { channel_type: channel.type } : {}),
  ...(channel.guild_id ? { guild_id: channel.guild_id } : {}),
  ...(message.webhook_id ? {} : memberIn(world, channel, message.author.id)),
  mentions: message.mentions.map((user) => ({ ...user, ...memberIn(world, channel, user.id) })),
});

const where = (channel: Channel): { channelId: string; guildId?: string } => ({
  channelId: channel.id,
  ...(channel.guild_id ? { guildId: channel.guild_id } : {}),
});

const announce = (world: World, t: string, message: Message, channel: Channel): void =>
  world.dispatch({ t, d: gatewayView(world, message, channel), ...where(channel) });

export const postMessage = (world: World, input: NewMessage): Message => {
  const { channel } = input;
  const mentions = mentionsIn(world, input.content, input.parse);
  const message: Message = {
    id: world.nextId(),
    channel_id: channel.id,
    author: input.author,
    content: input.content,
    timestamp: world.now(),
    edited_timestamp: null,
    tts: false,
    ...mentions,
    attachments: input.attachments ?? [],
    embeds: input.embeds ?? [],
    components: input.components ?? [],
    pinned: false,
    type: input.type ?? (input.reference?.type === 0 ? 19 : 0),
    flags: input.flags ?? 0,
    ...(input.nonce === undefined ? {} : { nonce: input.nonce }),
    ...(input.webhookId === undefined ? {} : { webhook_id: input.webhookId }),
    ...(input.reference ? { message_reference: reference(channel, input.reference) } : {}),
    ...input.extra,
    ...(isThread(channel) ? { position: channel.message_count ?? 0 } : {}),
  };
  const replied = input.reference?.type === 0 ? world.messagesOf(channel.id).get(input.reference.messageId) : undefined;
  if (replied && !message.mentions.includes(replied.author)) message.mentions.push(replied.author);
  world.messagesOf(channel.id).set(message.id, message);
  channel.last_message_id = message.id;
  if (isThread(channel)) {
    channel.message_count = (channel.message_count ?? 0) + 1;
    channel.total_message_sent = (channel.total_message_sent ?? 0) + 1;
  }
  announce(world, 'MESSAGE_CREATE', message, channel);
  return message;
};

const reference = (channel: Channel, input: { type: number; messageId: string }): Json => ({
  type: input.type,
  channel_id: channel.id,
  message_id: input.messageId,
  ...(channel.guild_id ? { guild_id: channel.guild_id } : {}),
});

export interface MessageChanges {
  readonly content?: string;
  readonly embeds?: Json[];
  readonly attachments?: Attachment[];
  readonly flags?: number;
  readonly components?: Json[];
}

/** An edit by the author: moves `edited_timestamp`. */
export const editMessage = (world: World, channel: Channel, message: Message, changes: MessageChanges): Message => {
  Object.assign(message, changes, changes.content === undefined ? {} : mentionsIn(world, changes.content));
  message.edited_timestamp = world.now();
  announce(world, 'MESSAGE_UPDATE', message, channel);
  return message;
};

/** A change that Discord itself makes, such as an unfurled link: `edited_timestamp` stays. */
export const touchMessage = (world: World, channel: Channel, message: Message, changes: MessageChanges): void => {
  Object.assign(message, changes);
  announce(world, 'MESSAGE_UPDATE', message, channel);
};

export const pinMessage = (world: World, channel: Channel, message: Message, pinned: boolean): void => {
  message.pinned = pinned;
  announce(world, 'MESSAGE_UPDATE', message, channel);
  world.dispatch({
    t: 'CHANNEL_PINS_UPDATE',
    d: { channel_id: channel.id, guild_id: channel.guild_id, last_pin_timestamp: pinned ? world.now() : null },
    ...where(channel),
  });
};

const forget = (world: World, channel: Channel, id: string): boolean => {
  world.reactions.delete(id);
  if (isThread(channel)) channel.message_count = Math.max(0, (channel.message_count ?? 0) - 1);
  return world.messagesOf(channel.id).delete(id);
};

const guildOf = (channel: Channel): Json =>
  isPrivate(channel) || !channel.guild_id ? {} : { guild_id: channel.guild_id };

export const deleteMessage = (world: World, channel: Channel, id: string): boolean => {
  if (!forget(world, channel, id)) return false;
  const d = { id, channel_id: channel.id, ...guildOf(channel) };
  world.dispatch({ t: 'MESSAGE_DELETE', d, ...where(channel) });
  return true;
};

export const bulkDelete = (world: World, channel: Channel, ids: readonly string[]): void => {
  const gone = ids.filter((id) => forget(world, channel, id));
  const d = { ids: gone, channel_id: channel.id, ...guildOf(channel) };
  world.dispatch({ t: 'MESSAGE_DELETE_BULK', d, ...where(channel) });
};

/** A member as events other than messages carry it: whole, account included. */
const withUser = (world: World, channel: Channel, userId: string): { member?: Json } => {
  const member = world.guilds.get(channel.guild_id ?? '')?.members.get(userId);
  return member ? { member: { ...member } } : {};
};

export const react = (
  world: World,
  channel: Channel,
  message: Message,
  userId: string,
  emoji: { id: string | null; name: string },
  add: boolean,
): void => {
  const all = world.reactions.get(message.id) ?? [];
  world.reactions.set(message.id, all);
  let reaction = all.find((one) => one.emoji.id === emoji.id && one.emoji.name === emoji.name);
  if (!reaction) {
    reaction = { emoji, users: new Set() };
    all.push(reaction);
  }
  if (reaction.users.has(userId) === add) return;
  if (add) reaction.users.add(userId);
  else reaction.users.delete(userId);
  if (reaction.users.size === 0) all.splice(all.indexOf(reaction), 1);
  world.dispatch({
    t: add ? 'MESSAGE_REACTION_ADD' : 'MESSAGE_REACTION_REMOVE',
    d: {
      user_id: userId,
      channel_id: channel.id,
      message_id: message.id,
      ...guildOf(channel),
      ...(add ? withUser(world, channel, userId) : {}),
      emoji,
      message_author_id: message.author.id,
      burst: false,
      type: 0,
    },
    ...where(channel),
  });
};

/** Takes all marks off a message, or all of one emoji, as a moderator does. */
export const clearReactions = (
  world: World,
  channel: Channel,
  message: Message,
  emoji?: { id: string | null; name: string },
): void => {
  const all = world.reactions.get(message.id) ?? [];
  const isMeant = (one: { id: string | null; name: string }) => one.id === emoji?.id && one.name === emoji?.name;
  world.reactions.set(message.id, emoji ? all.filter((one) => !isMeant(one.emoji)) : []);
  world.dispatch({
    t: emoji ? 'MESSAGE_REACTION_REMOVE_EMOJI' : 'MESSAGE_REACTION_REMOVE_ALL',
    d: { channel_id: channel.id, message_id: message.id, ...guildOf(channel), ...(emoji ? { emoji } : {}) },
    ...where(channel),
  });
};

export const startTyping = (world: World, channel: Channel, userId: string): void =>
  world.dispatch({
    t: 'TYPING_START',
    d: {
      channel_id: channel.id,
      ...guildOf(channel),
      ...withUser(world, channel, userId),
      user_id: userId,
      timestamp: Math.floor(Date.parse(world.now()) / 1000),
    },
    ...where(channel),
  });
