export { mcplChannelId } from './channel-ids.js';
export { type Config, readConfig } from './config/config.js';
export { parseGuildFilter, passesFilter } from './config/guild-filter.js';
export { FEATURE_SETS } from './feature-sets.js';
export { ExitCode, LoginRefused } from './gateway/login-error.js';
export { type Names, type Place, type Self, toChatMessage } from './gateway/normalise.js';
export { discordPlatform, MAX_TEXT_UNITS } from './platform/discord-platform.js';
export { explainDiscordError } from './platform/explain.js';
