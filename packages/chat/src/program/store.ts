import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Log, openStore, type Store } from '@mcpl-bridges/producer';
import { ConfigError } from './errors.js';

/** Where a program keeps what it must not forget, under the user's state directory. */
export const stateFolder = (program: string): string =>
  join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), program);

/** Whose store it is. */
export interface StoreOwner {
  readonly program: string;
  /** Tells those apart that run the same program on one machine: each has a folder of its own. */
  readonly account: string;
}

/**
 * Opens the store that `MCPL_STORE` names; in Redis, once no other instance has it.
 * `signal` gives up waiting; `onStandby` is told that there is something to wait for.
 * @throws ConfigError
 */
export const openBridgeStore = async (
  store: string,
  { program, account }: StoreOwner,
  { log, signal, onStandby }: { log: Log; signal: AbortSignal; onStandby?: () => void },
): Promise<Store> => {
  const folder = join(stateFolder(program), account);
  try {
    return await openStore(store, { folder, binding: program, log, signal, onStandby });
  } catch (error) {
    signal.throwIfAborted();
    throw new ConfigError(`MCPL_STORE: ${(error as Error).message}`);
  }
};
