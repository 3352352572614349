import { MemoryStore, RedisStore, type Store } from '@mcpl-bridges/producer';
import { ConfigError } from './config/config-error.js';

/** Whose keys a bridge uses in a shared Redis unless `?binding=` says otherwise. */
const DEFAULT_BINDING = 'discord-mcpl';

/** Opens the store that `MCPL_STORE` names. @throws ConfigError */
export const openStore = async (spec: string): Promise<Store> => {
  if (spec === 'memory:') return new MemoryStore();
  if (!/^rediss?:\/\//.test(spec) || !URL.canParse(spec))
    throw new ConfigError('MCPL_STORE must be memory:, redis://host:port or rediss://host:port');
  const url = new URL(spec);
  const binding = url.searchParams.get('binding') ?? DEFAULT_BINDING;
  url.search = '';
  try {
    return await RedisStore.open({ url: url.href, binding });
  } catch (error) {
    throw new ConfigError(`MCPL_STORE: ${(error as Error).message}`);
  }
};
