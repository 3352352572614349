/** A Discord object as it travels in JSON. The sandbox keeps the objects in the very shape that it sends. */
export type Json = Record<string, unknown>;

export interface User extends Json {
  readonly id: string;
  username: string;
  global_name: string | null;
  readonly bot?: boolean;
}

export interface Role extends Json {
  readonly id: string;
  name: string;
  /** Bit set as a decimal string. */
  permissions: string;
}

export interface Overwrite {
  readonly id: string;
  /** 0 role, 1 member. */
  readonly type: 0 | 1;
  allow: string;
  deny: string;
}

export interface Member extends Json {
  readonly user: User;
  nick: string | null;
  roles: string[];
}

export interface Channel extends Json {
  readonly id: string;
  type: number;
  guild_id?: string;
  name?: string;
  parent_id?: string | null;
  permission_overwrites?: Overwrite[];
  last_message_id: string | null;
  recipients?: User[];
  thread_metadata?: { archived: boolean; locked: boolean; [member: string]: unknown };
  owner_id?: string;
  message_count?: number;
  total_message_sent?: number;
  member_count?: number;
  rate_limit_per_user?: number;
}

export interface Attachment extends Json {
  readonly id: string;
  readonly filename: string;
  readonly size: number;
  readonly url: string;
}

export interface Reaction {
  readonly emoji: { readonly id: string | null; readonly name: string };
  readonly users: Set<string>;
}

export interface Message extends Json {
  readonly id: string;
  readonly channel_id: string;
  readonly author: User;
  content: string;
  readonly timestamp: string;
  edited_timestamp: string | null;
  mentions: User[];
  mention_roles: string[];
  mention_everyone: boolean;
  attachments: Attachment[];
  embeds: Json[];
  pinned: boolean;
  type: number;
  flags: number;
  nonce?: string | number;
  webhook_id?: string;
}

export interface Webhook {
  readonly id: string;
  readonly token: string;
  readonly channelId: string;
  readonly guildId: string;
  readonly name: string;
  readonly creator: User;
}

export type PresenceStatus = 'online' | 'idle' | 'dnd' | 'offline';

export interface Guild {
  readonly id: string;
  readonly properties: Json & { name: string; owner_id: string };
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
  /** By user, the voice channel that they are in. */
  readonly voices: Map<string, string>;
}

/** A bot account: its user, its token, and which privileged intents its owner has switched on. */
export interface Bot {
  readonly user: User;
  readonly token: string;
  readonly privileged: { messageContent: boolean; guildMembers: boolean; presences: boolean };
}

export const ChannelType = {
  GuildText: 0,
  DM: 1,
  GuildVoice: 2,
  GroupDM: 3,
  GuildCategory: 4,
  GuildAnnouncement: 5,
  AnnouncementThread: 10,
  PublicThread: 11,
  PrivateThread: 12,
  GuildStageVoice: 13,
  GuildForum: 15,
  GuildMedia: 16,
} as const;

export const isThread = (channel: Channel): boolean =>
  channel.type === ChannelType.AnnouncementThread ||
  channel.type === ChannelType.PublicThread ||
  channel.type === ChannelType.PrivateThread;

export const isPrivate = (channel: Channel): boolean =>
  channel.type === ChannelType.DM || channel.type === ChannelType.GroupDM;
