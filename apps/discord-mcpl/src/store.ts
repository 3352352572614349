import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Log, openStore, type Store } from '@mcpl-bridges/producer';
import { ConfigError } from './config/config-error.js';

/** The bot's id, which the first part of its token encodes; `undefined` for a token that has none. */
export const botIdOf = (token: string): string | undefined => {
  const id = Buffer.from(token.split('.')[0] ?? '', 'base64').toString('utf8');
  return /^\d{1,20}$/.test(id) ? id : undefined;
};

/** Two bots on one machine have a folder each. */
const stateFolder = (token: string): string =>
  join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'discord-mcpl', botIdOf(token) ?? 'bot');

/**
 * Opens the store that `MCPL_STORE` names; in Redis, once no other instance has it.
 * `signal` gives up waiting; `onStandby` is told that there is something to wait for.
 * @throws ConfigError
 */
export const openBridgeStore = async (
  { store, token }: { store: string; token: string },
  { log, signal, onStandby }: { log: Log; signal: AbortSignal; onStandby?: () => void },
): Promise<Store> => {
  try {
    return await openStore(store, { folder: stateFolder(token), binding: 'discord-mcpl', log, signal, onStandby });
  } catch (error) {
    signal.throwIfAborted();
    throw new ConfigError(`MCPL_STORE: ${(error as Error).message}`);
  }
};
