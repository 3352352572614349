import type { ChannelMissed, ChannelUnread, PendingPing, PortalMessage } from './messages.js';
import type { Capability, PortalChannel, PortalGuild } from './places.js';

export interface OutgoingFile {
  readonly name: string;
  /** base64. */
  readonly bytes: string;
  readonly contentType?: string;
  readonly description?: string;
}

export interface PortalMember {
  readonly userId: string;
  readonly username: string;
  readonly displayName: string;
  readonly nickname: string | null;
  readonly bot: boolean;
  readonly roles: readonly string[];
}

export interface PortalRole {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  /** One of those that stand for personas. */
  readonly pooled: boolean;
}

export interface PortalEmoji {
  readonly id: string;
  readonly name: string;
  readonly animated: boolean;
  readonly guildId: string;
  readonly guildName: string | null;
  /** For the text of a message. */
  readonly token: string;
  /** For `react`. */
  readonly reactionArg: string;
}

type Nothing = Record<string, never>;

interface Where {
  readonly channelId: string;
  readonly threadId?: string;
}

/** What may be asked of a relay, and what it answers. */
export interface RpcMethods {
  send_message: {
    params: Where & {
      readonly content?: string;
      readonly files?: readonly OutgoingFile[];
      readonly replyToId?: string;
      readonly mentionPersonaIds?: readonly string[];
    };
    result: { readonly messageId: string };
  };
  edit_message: { params: { readonly messageId: string; readonly content: string }; result: Nothing };
  delete_message: { params: { readonly messageId: string }; result: Nothing };
  react: {
    params: {
      readonly messageId: string;
      readonly emoji: string;
      /** As a line that others read as talk. */
      readonly visible: boolean;
      readonly native?: boolean;
    };
    result: Nothing;
  };
  unreact: {
    params: { readonly messageId: string; readonly emoji: string; readonly native?: boolean };
    result: Nothing;
  };
  /** Newest first. `before` is exclusive; `after` bounds, and does not page. */
  fetch_history: {
    params: Where & { readonly limit?: number; readonly before?: string; readonly after?: string };
    result: { readonly messages: readonly PortalMessage[] };
  };
  list_guilds: { params: Nothing; result: { readonly guilds: readonly PortalGuild[] } };
  list_channels: { params: { readonly guildId: string }; result: { readonly channels: readonly PortalChannel[] } };
  create_thread: {
    params: { readonly channelId: string; readonly name: string };
    result: { readonly channel: PortalChannel };
  };
  create_text_channel: {
    params: { readonly guildId: string; readonly name: string; readonly categoryId?: string };
    result: { readonly channel: PortalChannel };
  };
  delete_channel: { params: { readonly channelId: string }; result: Nothing };
  set_typing: { params: Where; result: Nothing };
  /** Of a parent: a thread's id matches nothing. */
  subscribe_channel: { params: { readonly channelId: string }; result: Nothing };
  unsubscribe_channel: { params: { readonly channelId: string }; result: Nothing };
  list_subscriptions: { params: Nothing; result: { readonly channelIds: readonly string[] } };
  list_members: {
    params: { readonly guildId: string; readonly query?: string; readonly limit?: number };
    result: { readonly members: readonly PortalMember[]; readonly membersAvailable: boolean };
  };
  resolve_mentions: {
    params: { readonly guildId: string; readonly handles: readonly string[] };
    result: { readonly resolved: Readonly<Record<string, string | null>> };
  };
  list_roles: { params: { readonly guildId: string }; result: { readonly roles: readonly PortalRole[] } };
  list_emojis: { params: { readonly guildId?: string }; result: { readonly emojis: readonly PortalEmoji[] } };
  list_pins: { params: { readonly channelId: string }; result: { readonly messages: readonly PortalMessage[] } };
  claim_invite: { params: { readonly code: string }; result: { readonly roles: readonly string[] } };
  mint_invite: {
    params: {
      readonly grant: {
        readonly caps: readonly Capability[];
        readonly scope: { readonly channels: readonly string[] };
      };
      readonly guildId: string;
      readonly maxUses?: 1;
      /** 1 to 60, default 15. */
      readonly expiresInMinutes?: number;
      readonly label?: string;
    };
    result: { readonly code: string; readonly expiresAt: string };
  };
  rotate_token: { params: Nothing; result: { readonly token: string } };
  get_pending_pings: { params: Nothing; result: { readonly pings: readonly PendingPing[] } };
  list_unread: { params: Nothing; result: { readonly channels: readonly ChannelUnread[] } };
  /** `uptoCreatedAt` must be a time that came from the relay: it is compared as text, and a later one hides all that follows. */
  mark_read: { params: Where & { readonly uptoCreatedAt?: string }; result: Nothing };
  channel_missed: { params: { readonly channelId: string }; result: ChannelMissed };
}

export type RpcMethod = keyof RpcMethods;
export type RpcParams<M extends RpcMethod> = RpcMethods[M]['params'];
export type RpcResult<M extends RpcMethod> = RpcMethods[M]['result'];
