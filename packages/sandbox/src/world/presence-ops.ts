import type { Channel, Guild, Json, PresenceStatus, User } from './entities.js';
import type { World } from './world.js';

/** How an account shows itself in a guild, as the gateway has it. */
const presence = (world: World, guild: Guild, userId: string): Json => {
  const { status = 'offline', activities = [] } = world.presences.get(userId) ?? {};
  return {
    user: { id: userId },
    guild_id: guild.id,
    status,
    activities,
    client_status: status === 'offline' ? {} : { web: status },
  };
};

/** Of those who are not offline. */
export const presencesIn = (world: World, guild: Guild, userIds: readonly string[]): Json[] =>
  userIds
    .filter((id) => (world.presences.get(id)?.status ?? 'offline') !== 'offline')
    .map((id) => presence(world, guild, id));

export const voiceState = (userId: string, channelId: string | null): Json => ({
  user_id: userId,
  channel_id: channelId,
  session_id: `voice-${userId}`,
  deaf: false,
  mute: false,
  self_deaf: false,
  self_mute: false,
  self_video: false,
  suppress: false,
  request_to_speak_timestamp: null,
});

/** Somebody comes, goes, or does something else; told in every guild that they are in. */
export const setPresence = (
  world: World,
  user: User,
  status: PresenceStatus,
  activities: readonly Json[] = [],
): void => {
  world.presences.set(user.id, { status, activities });
  for (const guild of world.guilds.values())
    if (guild.members.has(user.id))
      world.dispatch({ t: 'PRESENCE_UPDATE', d: presence(world, guild, user.id), guildId: guild.id });
};

/** Somebody goes into a voice channel, or out of the one they are in. */
export const setVoice = (world: World, guild: Guild, user: User, channel: Channel | undefined): void => {
  if (guild.voices.get(user.id) === channel?.id) return;
  if (channel) guild.voices.set(user.id, channel.id);
  else guild.voices.delete(user.id);
  const member = guild.members.get(user.id);
  const d = { guild_id: guild.id, ...voiceState(user.id, channel?.id ?? null), member };
  world.dispatch({ t: 'VOICE_STATE_UPDATE', d, guildId: guild.id });
};

const membersChanged = (world: World, thread: Channel, added: readonly User[], removed: readonly User[]): void => {
  const guild = world.guilds.get(thread.guild_id ?? '');
  const members = world.threadMembers.get(thread.id) ?? new Set();
  thread.member_count = members.size;
  world.dispatch({
    t: 'THREAD_MEMBERS_UPDATE',
    d: {
      id: thread.id,
      guild_id: thread.guild_id,
      member_count: Math.min(50, members.size),
      ...(added.length > 0
        ? {
            added_members: added.map(({ id }) => ({
              ...threadMember(world, thread, id),
              member: guild?.members.get(id),
            })),
          }
        : {}),
      ...(removed.length > 0 ? { removed_member_ids: removed.map(({ id }) => id) } : {}),
    },
    guildId: thread.guild_id ?? '',
    channelId: thread.id,
  });
};

export const threadMember = (world: World, thread: Channel, userId: string): Json => ({
  id: thread.id,
  user_id: userId,
  join_timestamp: world.now(),
  flags: 0,
});

export const joinThread = (world: World, thread: Channel, user: User): void => {
  const members = world.threadMembers.get(thread.id) ?? new Set();
  world.threadMembers.set(thread.id, members);
  if (members.has(user.id)) return;
  members.add(user.id);
  membersChanged(world, thread, [user], []);
};

export const leaveThread = (world: World, thread: Channel, user: User): void => {
  if (world.threadMembers.get(thread.id)?.delete(user.id)) membersChanged(world, thread, [], [user]);
};
