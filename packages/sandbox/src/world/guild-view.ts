import { type Guild, isThread, type Json } from './entities.js';
import { presencesIn, voiceState } from './presence-ops.js';
import type { World } from './world.js';

/** GUILD_CREATE with every extra field that the gateway adds to a guild. */
export const guildCreate = (world: World, guild: Guild, botId: string, withPresences = false): Json => {
  const own = [...world.channels.values()].filter((one) => one.guild_id === guild.id);
  const visible = own.filter((one) => world.can(botId, 'ViewChannel', one));
  return {
    ...guild.properties,
    roles: [...guild.roles.values()],
    joined_at: guild.members.get(botId)?.joined_at ?? world.now(),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    voice_states: [...guild.voices].map(([userId, channelId]) => voiceState(userId, channelId)),
    members: [...guild.members.values()],
    channels: own.filter((one) => !isThread(one)),
    threads: visible.filter((one) => isThread(one) && !one.thread_metadata?.archived),
    presences: withPresences ? presencesIn(world, guild, [...guild.members.keys()]) : [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
};
