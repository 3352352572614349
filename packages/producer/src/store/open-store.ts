import type { Log } from '../log.js';
import { LmdbStore } from './lmdb-store.js';
import { MemoryStore } from './memory-store.js';
import { RedisStore, type RedisStoreOptions } from './redis-store.js';
import type { Store } from './store.js';

export interface StoreDefaults {
  /** Where `lmdb:` without a folder keeps its own. */
  readonly folder: string;
  /** Whose keys these are in a shared Redis, unless `?binding=` says otherwise. */
  readonly binding: string;
  readonly log?: Log;
  /** Another instance has the store, in Redis: `openStore` waits for it. Default: it is logged. */
  readonly onStandby?: RedisStoreOptions['onStandby'];
  /** Gives up waiting for another instance that has the store. */
  readonly signal?: AbortSignal;
}

/**
 * Opens the store that a text names: `lmdb:<folder>`, `lmdb:` for the default one, `redis://host:port/0?binding=name`
 * (`rediss:` for TLS, `redis+sentinel:` and `redis+cluster:` with several hosts), or `memory:`.
 * @throws Error that says what is wrong with the text, or why the store cannot be opened
 */
export const openStore = async (spec: string, { folder, ...defaults }: StoreDefaults): Promise<Store> => {
  if (spec === 'memory:') return new MemoryStore();
  if (spec.startsWith('lmdb:')) return new LmdbStore({ path: spec.slice('lmdb:'.length) || folder });
  if (!/^rediss?(\+(sentinel|cluster))?:/.test(spec))
    throw new Error('must be lmdb:<folder>, memory:, redis://host:port or rediss://host:port');
  return RedisStore.open({ url: spec, ...defaults });
};
