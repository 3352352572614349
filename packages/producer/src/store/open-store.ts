import { LmdbStore } from './lmdb-store.js';
import { MemoryStore } from './memory-store.js';
import { RedisStore } from './redis-store.js';
import type { Store } from './store.js';

export interface StoreDefaults {
  /** Where `lmdb:` without a folder keeps its own. */
  readonly folder: string;
  /** Whose keys these are in a shared Redis, unless `?binding=` says otherwise. */
  readonly binding: string;
}

/**
 * Opens the store that a text names: `lmdb:<folder>`, `lmdb:` for the default one, `redis://host:port/0?binding=name`
 * (`rediss:` for TLS), or `memory:`.
 * @throws Error that says what is wrong with the text, or why the store cannot be opened
 */
export const openStore = async (spec: string, { folder, binding }: StoreDefaults): Promise<Store> => {
  if (spec === 'memory:') return new MemoryStore();
  if (spec.startsWith('lmdb:')) return new LmdbStore({ path: spec.slice('lmdb:'.length) || folder });
  if (!/^rediss?:\/\//.test(spec) || !URL.canParse(spec))
    throw new Error('must be lmdb:<folder>, memory:, redis://host:port or rediss://host:port');
  const url = new URL(spec);
  const named = url.searchParams.get('binding') ?? binding;
  url.search = '';
  return RedisStore.open({ url: url.href, binding: named });
};
