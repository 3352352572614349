import type { Channel, Guild, Json, Member, Role, User } from './entities.js';
import { ChannelType } from './entities.js';
import { DEFAULT_EVERYONE, permissionBits } from './permissions.js';

/** A user with every field of the User resource that a bot may see. */
export const newUser = (id: string, username: string, bot: boolean): User => ({
  id,
  username,
  discriminator: bot ? '0001' : '0',
  global_name: bot ? null : username,
  avatar: null,
  ...(bot ? { bot: true } : {}),
  banner: null,
  accent_color: null,
  public_flags: 0,
  avatar_decoration_data: null,
  collectibles: null,
  primary_guild: null,
});

export const newMember = (user: User, joinedAt: string): Member => ({
  user,
  nick: null,
  avatar: null,
  banner: null,
  roles: [],
  joined_at: joinedAt,
  premium_since: null,
  deaf: false,
  mute: false,
  flags: 0,
  pending: false,
  communication_disabled_until: null,
  avatar_decoration_data: null,
  collectibles: null,
});

export const newRole = (id: string, name: string, permissions: bigint, extra: Json = {}): Role => ({
  id,
  name,
  color: 0,
  colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
  hoist: false,
  icon: null,
  unicode_emoji: null,
  position: 0,
  permissions: permissions.toString(),
  managed: false,
  mentionable: false,
  flags: 0,
  ...extra,
});

export const newGuild = (id: string, name: string, ownerId: string): Guild => ({
  id,
  properties: {
    id,
    name,
    owner_id: ownerId,
    icon: null,
    splash: null,
    discovery_splash: null,
    afk_channel_id: null,
    afk_timeout: 300,
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    emojis: [],
    features: [],
    mfa_level: 0,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    max_presences: null,
    max_members: 500_000,
    vanity_url_code: null,
    description: null,
    banner: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: 'en-US',
    public_updates_channel_id: null,
    max_video_channel_users: 25,
    max_stage_video_channel_users: 50,
    nsfw_level: 0,
    stickers: [],
    premium_progress_bar_enabled: false,
    safety_alerts_channel_id: null,
    incidents_data: null,
  },
  roles: new Map([[id, newRole(id, '@everyone', permissionBits(DEFAULT_EVERYONE))]]),
  members: new Map(),
  voices: new Map(),
});

const base = (id: string, type: number): Channel => ({ id, type, last_message_id: null, flags: 0 });

export const newGuildChannel = (
  id: string,
  guildId: string,
  name: string,
  type: number,
  position: number,
): Channel => ({
  ...base(id, type),
  guild_id: guildId,
  name,
  position,
  permission_overwrites: [],
  topic: null,
  nsfw: false,
  rate_limit_per_user: 0,
  parent_id: null,
  last_pin_timestamp: null,
  ...(type === ChannelType.GuildVoice || type === ChannelType.GuildStageVoice
    ? { bitrate: 64_000, user_limit: 0, rtc_region: null, video_quality_mode: 1 }
    : {}),
  ...(type === ChannelType.GuildForum || type === ChannelType.GuildMedia
    ? { available_tags: [], default_reaction_emoji: null, default_sort_order: null, default_forum_layout: 0 }
    : {}),
});

export const newThread = (id: string, parent: Channel, name: string, ownerId: string, now: string): Channel => ({
  ...base(
    id,
    parent.type === ChannelType.GuildAnnouncement ? ChannelType.AnnouncementThread : ChannelType.PublicThread,
  ),
  guild_id: parent.guild_id ?? '',
  parent_id: parent.id,
  owner_id: ownerId,
  name,
  message_count: 0,
  member_count: 1,
  total_message_sent: 0,
  rate_limit_per_user: 0,
  last_pin_timestamp: null,
  thread_metadata: {
    archived: false,
    auto_archive_duration: 4320,
    archive_timestamp: now,
    locked: false,
    create_timestamp: now,
  },
});

/** `users` counts every account in it, the reader included. */
export const newDm = (id: string, users: User[]): Channel => ({
  ...base(id, users.length > 2 ? ChannelType.GroupDM : ChannelType.DM),
  recipients: users,
});
