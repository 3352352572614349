import { bridgeSettings, choiceSetting, httpUrl, listOf, pathSetting, textSetting } from '@mcpl-bridges/chat/program';
import { parseDmUsers } from './filters.js';
import { DISCORD_ID, parseGuildFilter } from './guild-filter.js';

/** Everything that can be set but for secrets, in the order in which `--help` has it. */
export const SETTINGS = {
  apiBase: textSetting(
    'DISCORD_API_BASE',
    'a Discord-compatible API, e.g. http://127.0.0.1:8080/api; default: Discord',
    httpUrl,
  ),
  guildId: textSetting(
    'DISCORD_GUILD_ID',
    'only these guilds: guild or guild:channel+channel, comma-separated; default: all',
    parseGuildFilter,
  ),
  dmUsers: textSetting(
    'DISCORD_DM_USERS',
    'only direct messages of these users, comma-separated ids; default: all',
    parseDmUsers,
  ),
  filtersFile: pathSetting(
    'DISCORD_FILTERS_FILE',
    'JSON: guildIds, guildChannels, dmUsers, suppressedReactionEmojis; wins over the two, and is read again when it changes',
  ),
  adminUsers: textSetting(
    'DISCORD_ADMIN_USERS',
    'who may use the slash commands, comma-separated ids; default: nobody',
    (text, name) => listOf(text, name, DISCORD_ID, 'Discord id; write user,user'),
  ),
  members: choiceSetting(
    'DISCORD_MEMBERS',
    ['off', 'on'],
    'off',
    'whether to ask for the Server Members intent: with DISCORD_SYSTEM_MESSAGES=on the agent hears who left',
  ),
  unfurls: choiceSetting(
    'DISCORD_UNFURLS',
    ['off', 'unsent'],
    'off',
    'whether previews of links are shown in messages that were not sent to the host yet',
  ),
  subscriptionsFile: pathSetting(
    'DISCORD_SUBSCRIPTIONS_FILE',
    'JSON list of channels that were open, read by the first start only',
  ),
  mutedChannelsFile: pathSetting(
    'DISCORD_MUTED_CHANNELS_FILE',
    'JSON list of channels that were muted, read by the first start only',
  ),
  reactionChannelsFile: pathSetting(
    'DISCORD_REACTION_CHANNELS_FILE',
    'JSON list of channels whose reactions were shown, read by the first start only',
  ),
  watermarkFile: pathSetting(
    'DISCORD_WATERMARK_FILE',
    'JSON: how far another bridge has read, read by the first start only',
  ),
  ...bridgeSettings('DISCORD'),
} as const;
