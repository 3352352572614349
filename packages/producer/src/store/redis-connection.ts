import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { SCRIPTS } from './redis-scripts.js';
import type { RedisSpec } from './redis-spec.js';

/** Retries of a lost connection wait this long at most, ms. */
const MAX_RECONNECT_MS = 2000;

export type Connection = Redis | Cluster;

/** A master that has become a replica: look for the new one, and ask it again. */
const RESEND = 2;

/**
 * Connects and learns the scripts.
 * @throws Error naming the servers when none can be reached within `timeoutMs`
 */
export const connectRedis = async (spec: RedisSpec, timeoutMs: number): Promise<Connection> => {
  const redis = connectionOf(spec, timeoutMs);
  let lastError: Error | undefined;
  redis.on('error', (error: Error) => {
    lastError = error;
  });
  for (const [name, lua] of Object.entries(SCRIPTS)) redis.defineCommand(name, { lua });
  let timer: NodeJS.Timeout | undefined;
  try {
    await Promise.race([
      redis.connect(),
      new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      }),
    ]);
  } catch (error) {
    redis.disconnect();
    const where = spec.hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
    throw new Error(`Redis at ${where} cannot be reached: ${(lastError ?? (error as Error)).message}`);
  } finally {
    clearTimeout(timer);
  }
  return redis;
};

/** The masters, one by one. */
export const mastersOf = (redis: Connection): readonly Redis[] =>
  redis instanceof Cluster ? redis.nodes('master') : [redis];

const connectionOf = (spec: RedisSpec, timeoutMs: number): Connection => {
  const { kind, hosts, tls, username, password, db, master } = spec;
  const retry = (attempt: number): number => Math.min(attempt * 100, MAX_RECONNECT_MS);
  const options: RedisOptions = {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectTimeout: timeoutMs,
    retryStrategy: retry,
    reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? RESEND : false),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
  };
  switch (kind) {
    case 'single':
      return new Redis({ ...options, ...(hosts[0] as { host: string; port: number }), db });
    case 'sentinel':
      return new Redis({ ...options, sentinels: [...hosts], name: master, db, sentinelRetryStrategy: retry });
    case 'cluster':
      return new Cluster([...hosts], { lazyConnect: true, redisOptions: options, clusterRetryStrategy: retry });
  }
};
