import { silentLog } from '@mcpl-bridges/producer';
import { REST, Routes } from 'discord.js';
import { missingPermissions } from './check-permissions.js';
import type { Config } from './config/config.js';
import { configuredFilters, readFiltersFile } from './config/filters.js';
import { readHeritage } from './config/heritage.js';
import { explainDiscordError } from './platform/explain.js';
import { openBridgeStore } from './store.js';

/** Channels that are named before the rest are counted. */
const MAX_NOTES = 20;

const MESSAGE_CONTENT_FLAGS = (1 << 18) | (1 << 19);

const GUILD_MEMBERS_FLAGS = (1 << 14) | (1 << 15);

/** Tries everything the bridge needs and says what is missing, a line each. Resolves to whether all is well. */
export const check = async (config: Config, say: (line: string) => void): Promise<boolean> => {
  let well = true;
  const report = (ok: boolean, line: string): void => {
    well &&= ok;
    say(`${ok ? 'ok     ' : 'MISSING'} ${line}`);
  };
  let filters = configuredFilters(config);
  const tried = (what: string, attempt: () => void): void => {
    try {
      attempt();
    } catch (error) {
      report(false, `${what}: ${(error as Error).message}`);
    }
  };
  tried('filters', () => {
    if (config.filtersFile !== undefined) filters = readFiltersFile(config.filtersFile, filters);
  });
  tried('files of another bridge', () => readHeritage(config));
  const waiting = new AbortController();
  const log = { ...silentLog, warn: (_: object, sentence: string) => say(`note   ${sentence}`) };
  try {
    const store = await openBridgeStore(config, { log, signal: waiting.signal, onStandby: () => waiting.abort() });
    await store.close();
    report(true, 'store');
  } catch (error) {
    if (waiting.signal.aborted) report(true, 'store; another instance is active, and this one would stand by');
    else report(false, `store: ${(error as Error).message}`);
  }
  const rest = new REST({ retries: 0, timeout: 10_000, ...(config.apiBase ? { api: config.apiBase } : {}) });
  rest.setToken(config.token);
  try {
    const app = (await rest.get(Routes.currentApplication())) as { name: string; flags?: number };
    report(true, `token: ${app.name}`);
    const intent = (flags: number, name: string): void =>
      report(
        ((app.flags ?? 0) & flags) !== 0,
        `${name} intent (discord.com/developers/applications › your app › Bot › Privileged Gateway Intents)`,
      );
    intent(MESSAGE_CONTENT_FLAGS, 'Message Content');
    if (config.members === 'on') intent(GUILD_MEMBERS_FLAGS, 'Server Members');
    const guilds = (await rest.get(Routes.userGuilds())) as { id: string; name: string }[];
    report(guilds.length > 0, `in ${guilds.length} servers; the bot must be invited to at least one`);
    const bot = (await rest.get(Routes.user())) as { id: string };
    const ids = guilds.map(({ id }) => id);
    const lacking = await missingPermissions(rest, ids, bot.id, filters.guilds);
    for (const line of lacking.slice(0, MAX_NOTES)) say(`note   ${line}`);
    if (lacking.length > MAX_NOTES) say(`note   and ${lacking.length - MAX_NOTES} channels more`);
  } catch (error) {
    const status = (error as { status?: number }).status;
    report(
      false,
      status === 401 ? 'token: Discord does not accept DISCORD_TOKEN' : `Discord: ${explainDiscordError(error)}`,
    );
  }
  return well;
};
