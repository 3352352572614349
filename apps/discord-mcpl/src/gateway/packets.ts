import type { GatewayMessageCreateDispatchData, GatewayMessageUpdateDispatchData } from 'discord.js';

/** The message dispatches of the gateway that the bridge lives on, as they come off the wire. */
export type MessagePacket =
  | { readonly t: 'MESSAGE_CREATE'; readonly d: GatewayMessageCreateDispatchData }
  | {
      readonly t: 'MESSAGE_UPDATE';
      readonly d: Partial<GatewayMessageUpdateDispatchData> & { id: string; channel_id: string };
    }
  | { readonly t: 'MESSAGE_DELETE'; readonly d: { id: string; channel_id: string; guild_id?: string } }
  | { readonly t: 'MESSAGE_DELETE_BULK'; readonly d: { ids: string[]; channel_id: string; guild_id?: string } };

const NAMES: ReadonlySet<string> = new Set([
  'MESSAGE_CREATE',
  'MESSAGE_UPDATE',
  'MESSAGE_DELETE',
  'MESSAGE_DELETE_BULK',
]);

export const isMessagePacket = (packet: { t?: unknown }): packet is MessagePacket =>
  typeof packet.t === 'string' && NAMES.has(packet.t);

/** A mark that somebody sets on a message, or takes back. */
export interface ReactionPacket {
  readonly t: 'MESSAGE_REACTION_ADD' | 'MESSAGE_REACTION_REMOVE';
  readonly d: {
    readonly channel_id: string;
    readonly guild_id?: string;
    readonly message_id: string;
    readonly user_id: string;
    readonly emoji: { readonly id: string | null; readonly name: string | null };
    readonly member?: {
      readonly nick?: string | null;
      readonly user?: { readonly username: string; readonly global_name?: string | null; readonly bot?: boolean };
    };
  };
}

/** As it is shown: custom ones by name. */
export const emojiText = ({ id, name }: ReactionPacket['d']['emoji']): string =>
  id === null ? (name ?? '?') : `:${name}:`;

export const isReactionPacket = (packet: { t?: unknown }): packet is ReactionPacket =>
  packet.t === 'MESSAGE_REACTION_ADD' || packet.t === 'MESSAGE_REACTION_REMOVE';

/** All marks of a message are gone, or all of one emoji. */
export interface ClearingPacket {
  readonly t: 'MESSAGE_REACTION_REMOVE_ALL' | 'MESSAGE_REACTION_REMOVE_EMOJI';
  readonly d: Pick<ReactionPacket['d'], 'channel_id' | 'guild_id' | 'message_id'> & Partial<ReactionPacket['d']>;
}

export const isClearingPacket = (packet: { t?: unknown }): packet is ClearingPacket =>
  packet.t === 'MESSAGE_REACTION_REMOVE_ALL' || packet.t === 'MESSAGE_REACTION_REMOVE_EMOJI';

/** Somebody is no member of a guild any more; comes only with the Server Members intent. */
export interface LeavingPacket {
  readonly t: 'GUILD_MEMBER_REMOVE';
  readonly d: {
    readonly guild_id: string;
    readonly user: { readonly id: string; readonly username: string; readonly global_name?: string | null };
  };
}

export const isLeavingPacket = (packet: { t?: unknown }): packet is LeavingPacket => packet.t === 'GUILD_MEMBER_REMOVE';

/** The bot has left a guild, or it is gone; one that is only out of order for a while comes back. */
export const isGuildGone = (packet: { t?: unknown }): packet is { t: 'GUILD_DELETE'; d: { id: string } } =>
  packet.t === 'GUILD_DELETE' && (packet as { d?: { unavailable?: boolean } }).d?.unavailable !== true;

interface ListedChannel {
  readonly id: string;
  /** Absent where nobody can talk. */
  readonly last_message_id?: string | null;
}

/** A channel or thread is made. Threads come again when the bot is added to one: that one is not new. */
export interface ChannelPacket {
  readonly t: 'CHANNEL_CREATE' | 'THREAD_CREATE';
  readonly d: ListedChannel & { readonly guild_id?: string; readonly newly_created?: boolean };
}

export const isChannelPacket = (packet: { t?: unknown }): packet is ChannelPacket =>
  packet.t === 'CHANNEL_CREATE' || (packet.t === 'THREAD_CREATE' && (packet as ChannelPacket).d.newly_created === true);

/** What a guild holds when it comes into view. */
export interface GuildPacket {
  readonly t: 'GUILD_CREATE';
  readonly d: {
    readonly id: string;
    /** ISO 8601: since when the bot is a member. */
    readonly joined_at: string;
    readonly channels?: readonly ListedChannel[];
    readonly threads?: readonly ListedChannel[];
  };
}

export const isGuildPacket = (packet: { t?: unknown }): packet is GuildPacket => packet.t === 'GUILD_CREATE';
