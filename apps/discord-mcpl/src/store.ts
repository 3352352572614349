import { MemoryStore, type Store } from '@mcpl-bridges/producer';
import { ConfigError } from './config/config-error.js';

/** Opens the store that `MCPL_STORE` names. @throws ConfigError */
export const openStore = async (spec: string): Promise<Store> => {
  if (spec === 'memory:') return new MemoryStore();
  throw new ConfigError(`MCPL_STORE is ${JSON.stringify(spec.replace(/\/\/.*@/, '//'))}; use memory:`);
};
