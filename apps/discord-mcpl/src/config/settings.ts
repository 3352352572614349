import { isTimeZone, OTHER_BOTS, SOURCE_HEADERS, TIMESTAMP_STYLES } from '@mcpl-bridges/chat';
import { ConfigError } from './config-error.js';
import { parseDmUsers } from './filters.js';
import { DISCORD_ID, parseGuildFilter } from './guild-filter.js';
import { choiceSetting, countSetting, listOf, textSetting } from './setting.js';

const asItIs = (text: string | undefined): string | undefined => text;

const apiBase = (text: string | undefined, name: string): string | undefined => {
  if (text === undefined) return undefined;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new ConfigError(`${name} is ${JSON.stringify(text)}; use an http(s) URL such as https://discord.com/api`);
  return text.replace(/\/+$/, '');
};

const timeZone = (text: string | undefined, name: string): string => {
  if (text === undefined) return 'UTC';
  if (!isTimeZone(text))
    throw new ConfigError(`${name} is ${JSON.stringify(text)}; use an IANA time zone such as Europe/Berlin`);
  return text;
};

const channelsOrAll = (text: string | undefined, name: string): ReadonlySet<string> | 'all' =>
  text === 'all' ? 'all' : new Set(listOf(text, name, DISCORD_ID, 'Discord id; write channel,channel or all'));

/** `channel:count` by Discord id. */
const countsByChannel = (text: string | undefined, name: string): ReadonlyMap<string, number> =>
  new Map(
    listOf(text, name, /^\d{15,21}:\d{1,5}$/, 'limit of a channel; write channel:messages').map((entry) => {
      const [channel = '', count] = entry.split(':');
      return [channel, Number(count)];
    }),
  );

/** Everything that can be set but for secrets, in the order in which `--help` has it. */
export const SETTINGS = {
  apiBase: textSetting(
    'DISCORD_API_BASE',
    'a Discord-compatible API, e.g. http://127.0.0.1:8080/api; default: Discord',
    apiBase,
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
  filtersFile: textSetting(
    'DISCORD_FILTERS_FILE',
    'JSON: guildIds, guildChannels, dmUsers, suppressedReactionEmojis; wins over the two, and is read again when it changes',
    asItIs,
  ),
  adminUsers: textSetting(
    'DISCORD_ADMIN_USERS',
    'who may use the slash commands, comma-separated ids; default: nobody',
    (text, name) => listOf(text, name, DISCORD_ID, 'Discord id; write user,user'),
  ),
  reactionChannels: textSetting(
    'DISCORD_REACTION_CHANNELS',
    'where the agent hears of reactions: channel ids, comma-separated, or all; default: where it says so itself',
    channelsOrAll,
  ),
  closedDelivery: choiceSetting(
    'DISCORD_CLOSED_DELIVERY',
    ['addressed', 'all'],
    'addressed',
    'what is delivered of channels the host has not opened',
  ),
  bots: choiceSetting('DISCORD_BOTS', OTHER_BOTS, 'all', 'which messages of other bots are delivered'),
  botTurns: countSetting(
    'DISCORD_BOT_TURNS',
    { least: 0, most: 1000, otherwise: 8 },
    'how often in a row bots may wake the agent before a person has to speak',
  ),
  systemMessages: choiceSetting(
    'DISCORD_SYSTEM_MESSAGES',
    ['off', 'on'],
    'off',
    'whether the agent hears what Discord says itself, such as who joined',
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
  sourceHeader: choiceSetting(
    'DISCORD_SOURCE_HEADER',
    SOURCE_HEADERS,
    'changes',
    'when a message says where it was said',
  ),
  timeZone: textSetting('AGENT_TIMEZONE', 'the time zone of times the agent reads; default UTC', timeZone),
  timestampStyle: choiceSetting('AGENT_TIMESTAMP_STYLE', TIMESTAMP_STYLES, 'minute', 'how they are written'),
  catchupLimit: countSetting(
    'DISCORD_CATCHUP_LIMIT',
    { least: 1, most: 10_000, otherwise: 200 },
    'messages a channel that are caught up with after a gap',
  ),
  catchupDays: countSetting(
    'DISCORD_CATCHUP_DAYS',
    { least: 1, most: 30, otherwise: 7 },
    'how old the oldest of them may be, days',
  ),
  backscrollLimit: countSetting(
    'DISCORD_BACKSCROLL_LIMIT',
    { least: 0, most: 500, otherwise: 80 },
    "messages of a channel's past that a host may have when it opens it",
  ),
  backscrollChannels: textSetting(
    'DISCORD_BACKSCROLL_CHANNELS',
    'channel:messages, comma-separated: how much of the past of single channels may be read at all',
    countsByChannel,
  ),
  inlineTextBytes: countSetting(
    'DISCORD_ATTACHMENT_INLINE_MAX_BYTES',
    { least: 0, most: 262_144, otherwise: 5120 },
    'bytes of a text file that are shown',
  ),
  filesRoot: textSetting(
    'DISCORD_FILES_ROOT',
    'a folder: the agent may send the files in it; default: it may send none',
    asItIs,
  ),
  subscriptionsFile: textSetting(
    'DISCORD_SUBSCRIPTIONS_FILE',
    'JSON list of channels that were open, read by the first start only',
    asItIs,
  ),
  mutedChannelsFile: textSetting(
    'DISCORD_MUTED_CHANNELS_FILE',
    'JSON list of channels that were muted, read by the first start only',
    asItIs,
  ),
  reactionChannelsFile: textSetting(
    'DISCORD_REACTION_CHANNELS_FILE',
    'JSON list of channels whose reactions were shown, read by the first start only',
    asItIs,
  ),
  watermarkFile: textSetting(
    'DISCORD_WATERMARK_FILE',
    'JSON: how far another bridge has read, read by the first start only',
    asItIs,
  ),
  claudeChannel: choiceSetting(
    'DISCORD_CLAUDE_CHANNEL',
    ['off', 'on'],
    'off',
    'whether hosts without MCPL are told what happens by notifications/claude/channel',
  ),
  store: textSetting(
    'MCPL_STORE',
    'lmdb:<folder>, redis://host:port/0?binding=name (rediss:// for TLS) or memory:; default lmdb: under the state directory',
    (text) => text ?? 'lmdb:',
  ),
  logLevel: choiceSetting(
    'MCPL_LOG_LEVEL',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'what is logged to standard error',
  ),
  debugLog: textSetting('DISCORD_MCPL_DEBUG_LOG', 'a file that gets the log, too, down to debug', asItIs),
  policyTimeoutMs: countSetting(
    'MCPL_POLICY_TIMEOUT_MS',
    { least: 1, most: 99_999_999, otherwise: 15_000 },
    'how long a host may go without sending its policy before the log says so, ms',
  ),
} as const;
