import { Checks, wantsPresence } from '@mcpl-bridges/chat/program';
import { REST, Routes } from 'discord.js';
import { ownerOf } from './bot-id.js';
import { missingPermissions } from './check-permissions.js';
import type { Config } from './config/config.js';
import { configuredFilters, readFiltersFile } from './config/filters.js';
import { readHeritage } from './config/heritage.js';
import { explainDiscordError } from './platform/explain.js';

/** Channels that are named before the rest are counted. */
const MAX_NOTES = 20;

const MESSAGE_CONTENT_FLAGS = (1 << 18) | (1 << 19);

const GUILD_PRESENCES_FLAGS = (1 << 12) | (1 << 13);

const GUILD_MEMBERS_FLAGS = (1 << 14) | (1 << 15);

/** Tries everything the bridge needs and says what is missing, a line each. Resolves to whether all is well. */
export const check = async (config: Config, say: (line: string) => void): Promise<boolean> => {
  const checks = new Checks(say);
  let filters = configuredFilters(config);
  checks.tried('filters', () => {
    if (config.filtersFile) filters = readFiltersFile(config.filtersFile.path, filters);
  });
  checks.tried('files of another bridge', () => readHeritage(config));
  checks.presence(config);
  await checks.store(config.store, ownerOf(config));
  const rest = new REST({ retries: 0, timeout: 10_000, ...(config.apiBase ? { api: config.apiBase } : {}) });
  rest.setToken(config.token);
  try {
    const app = (await rest.get(Routes.currentApplication())) as { name: string; flags?: number };
    checks.report(true, `token: ${app.name}`);
    const intent = (flags: number, name: string): void =>
      checks.report(
        ((app.flags ?? 0) & flags) !== 0,
        `${name} intent (discord.com/developers/applications › your app › Bot › Privileged Gateway Intents)`,
      );
    intent(MESSAGE_CONTENT_FLAGS, 'Message Content');
    const presence = wantsPresence(config);
    if (config.members === 'on' || presence) intent(GUILD_MEMBERS_FLAGS, 'Server Members');
    if (presence) intent(GUILD_PRESENCES_FLAGS, 'Presence');
    const guilds = (await rest.get(Routes.userGuilds())) as { id: string; name: string }[];
    checks.report(guilds.length > 0, `in ${guilds.length} servers; the bot must be invited to at least one`);
    const bot = (await rest.get(Routes.user())) as { id: string };
    const ids = guilds.map(({ id }) => id);
    const lacking = await missingPermissions(rest, ids, bot.id, filters.guilds);
    for (const line of lacking.slice(0, MAX_NOTES)) checks.note(line);
    if (lacking.length > MAX_NOTES) checks.note(`and ${lacking.length - MAX_NOTES} channels more`);
  } catch (error) {
    const status = (error as { status?: number }).status;
    checks.report(
      false,
      status === 401 ? 'token: Discord does not accept DISCORD_TOKEN' : `Discord: ${explainDiscordError(error)}`,
    );
  }
  return checks.passed;
};
