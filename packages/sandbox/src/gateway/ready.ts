import type { Bot, Guild, Json } from '../world/entities.js';
import { guildCreate } from '../world/guild-view.js';
import type { World } from '../world/world.js';
import { Intent } from './intents.js';
import type { GatewaySession } from './session.js';
import { shardOf, type Viewer } from './visibility.js';

/** What a connection of `bot` for one shard is told of. */
export const guildsOf = (world: World, bot: Bot, [shard, count]: Viewer['shard']): Guild[] =>
  [...world.guilds.values()].filter((guild) => guild.members.has(bot.user.id) && shardOf(guild.id, count) === shard);

export const readyPayload = (world: World, session: GatewaySession): Json => ({
  v: 10,
  user: { ...session.viewer.bot.user, mfa_enabled: false, verified: true, email: null },
  guilds: guildsOf(world, session.viewer.bot, session.viewer.shard).map(({ id }) => ({ id, unavailable: true })),
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
  guildsOf(world, session.viewer.bot, session.viewer.shard).map((guild) =>
    guildCreate(world, guild, session.viewer.bot.user.id, (session.viewer.intents & Intent.GuildPresences) !== 0),
  );
