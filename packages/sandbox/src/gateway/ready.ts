import { type Bot, isThread, type Json } from '../world/entities.js';
import type { World } from '../world/world.js';
import type { GatewaySession } from './session.js';
import { shardOf } from './visibility.js';

const guildsOf = (world: World, session: GatewaySession) => {
  const [shard, count] = session.viewer.shard;
  return [...world.guilds.values()].filter(
    (guild) => guild.members.has(session.viewer.bot.user.id) && shardOf(guild.id, count) === shard,
  );
};

export const readyPayload = (world: World, session: GatewaySession): Json => ({
  v: 10,
  user: { ...session.viewer.bot.user, mfa_enabled: false, verified: true, email: null },
  guilds: guildsOf(world, session).map(({ id }) => ({ id, unavailable: true })),
  session_id: session.id,
  resume_gateway_url: `${world.origin.replace(/^http/, 'ws')}/gateway`,
  shard: session.viewer.shard,
  application: { id: session.viewer.bot.user.id, flags: 0 },
  session_type: 'normal',
  private_channels: [],
  relationships: [],
  presences: [],
  guild_join_requests: [],
  geo_ordered_rtc_regions: [],
  _trace: ['["sandbox"]'],
});

export const guildCreates = (world: World, session: GatewaySession): Json[] =>
  guildsOf(world, session).map((guild) => guildCreate(world, guild.id, session.viewer.bot));

/** GUILD_CREATE with every extra field that the gateway adds to a guild. */
const guildCreate = (world: World, guildId: string, bot: Bot): Json => {
  const guild = world.guilds.get(guildId);
  if (!guild) return { id: guildId, unavailable: true };
  const own = [...world.channels.values()].filter((one) => one.guild_id === guildId);
  const visible = own.filter((one) => world.can(bot.user.id, 'ViewChannel', one));
  return {
    ...guild.properties,
    roles: [...guild.roles.values()],
    joined_at: guild.members.get(bot.user.id)?.joined_at ?? world.now(),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    voice_states: [],
    members: [...guild.members.values()],
    channels: own.filter((one) => !isThread(one)),
    threads: visible.filter((one) => isThread(one) && !one.thread_metadata?.archived),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
};
