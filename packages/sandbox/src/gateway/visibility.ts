import type { Bot, Json } from '../world/entities.js';
import type { Dispatch, World } from '../world/world.js';
import { Intent, intentOf } from './intents.js';

export interface Viewer {
  readonly bot: Bot;
  readonly intents: number;
  readonly shard: readonly [id: number, count: number];
}

/** Which of `count` shards a guild belongs to (Discord: Sharding). */
export const shardOf = (guildId: string, count: number): number => Number((BigInt(guildId) >> 22n) % BigInt(count));

/** What one session gets to see of a dispatch, or `undefined` for nothing at all. */
export const seenBy = (world: World, viewer: Viewer, dispatch: Dispatch): Json | undefined => {
  const { bot, intents, shard } = viewer;
  const needed = intentOf(dispatch.t, dispatch.guildId !== undefined);
  if ((intents & needed) === 0 && !isOwnUpdate(bot, dispatch)) return undefined;
  if (dispatch.t === 'THREAD_MEMBERS_UPDATE' && (intents & Intent.GuildMembers) === 0 && !concerns(bot, dispatch.d))
    return undefined;
  if (dispatch.to !== undefined && dispatch.to !== bot.user.id) return undefined;
  if (dispatch.guildId !== undefined) {
    if (shardOf(dispatch.guildId, shard[1]) !== shard[0]) return undefined;
    const isMember = world.guilds.get(dispatch.guildId)?.members.has(bot.user.id) ?? false;
    if (!isMember && dispatch.to === undefined) return undefined;
  } else if (shard[0] !== 0) return undefined;
  if (dispatch.channelId !== undefined) {
    const channel = world.channels.get(dispatch.channelId);
    if (channel && !world.can(bot.user.id, 'ViewChannel', channel)) return undefined;
  }
  return withholdContent(viewer, dispatch);
};

/** Who comes and goes in threads is told to those who may know all members, and to the account itself. */
const concerns = ({ user }: Bot, { added_members = [], removed_member_ids = [] }: Json): boolean =>
  (added_members as { user_id: string }[]).some(({ user_id }) => user_id === user.id) ||
  (removed_member_ids as string[]).includes(user.id);

/** What changes about a bot itself is told to it whatever its intents. */
const isOwnUpdate = (bot: Bot, { t, d }: Dispatch): boolean =>
  t === 'GUILD_MEMBER_UPDATE' && (d.user as { id?: string }).id === bot.user.id;

/** Without MESSAGE_CONTENT a message is empty, unless it is private, the bot's own, or names the bot. */
const withholdContent = ({ bot, intents }: Viewer, { t, d, guildId }: Dispatch): Json => {
  const isMessage = t === 'MESSAGE_CREATE' || t === 'MESSAGE_UPDATE';
  if (!isMessage || guildId === undefined || (intents & Intent.MessageContent) !== 0) return d;
  const author = d.author as { id?: string } | undefined;
  const mentions = (d.mentions as { id: string }[] | undefined) ?? [];
  if (author?.id === bot.user.id || mentions.some((one) => one.id === bot.user.id)) return d;
  const { poll: _poll, ...rest } = d;
  return { ...rest, content: '', embeds: [], attachments: [], components: [] };
};
