import { silentLog } from '@mcpl-bridges/producer';
import { REST, Routes } from 'discord.js';
import type { Config } from './config/config.js';
import { explainDiscordError } from './platform/explain.js';
import { openBridgeStore } from './store.js';

const MESSAGE_CONTENT_FLAGS = (1 << 18) | (1 << 19);

/** Tries everything the bridge needs and says what is missing, a line each. Resolves to whether all is well. */
export const check = async (config: Config, say: (line: string) => void): Promise<boolean> => {
  let well = true;
  const report = (ok: boolean, line: string): void => {
    well &&= ok;
    say(`${ok ? 'ok     ' : 'MISSING'} ${line}`);
  };
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
    report(
      ((app.flags ?? 0) & MESSAGE_CONTENT_FLAGS) !== 0,
      'Message Content intent (discord.com/developers/applications › your app › Bot › Privileged Gateway Intents)',
    );
    const guilds = (await rest.get(Routes.userGuilds())) as { name: string }[];
    report(guilds.length > 0, `in ${guilds.length} servers; the bot must be invited to at least one`);
  } catch (error) {
    const status = (error as { status?: number }).status;
    report(
      false,
      status === 401 ? 'token: Discord does not accept DISCORD_TOKEN' : `Discord: ${explainDiscordError(error)}`,
    );
  }
  return well;
};
