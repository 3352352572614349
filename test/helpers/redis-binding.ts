import { Redis } from 'ioredis';
import { nanoid } from 'nanoid';
import { afterThisTest } from './cleanup.js';

const url = process.env.REDIS_URL;
if (!url) throw new Error('REDIS_URL is not set: run npm test, which finds or starts a Redis');

/** How long an instance may be silent before another takes over, ms. */
const LEASE_MS = 1000;

/** A part of the Redis of all tests for one of them. */
export const bindingOfOurOwn = (): { readonly env: { MCPL_STORE: string }; waiting(): Promise<number> } => {
  const binding = nanoid();
  const redis = new Redis(url);
  afterThisTest(async () => {
    const keys = await redis.keys(`mcpl:{${binding}}:*`);
    if (keys.length > 0) await redis.del(...keys);
    redis.disconnect();
  });
  const waiting = () => redis.get(`mcpl:{${binding}}:waiting`).then(Number);
  return { env: { MCPL_STORE: `${url}?binding=${binding}&lease=${LEASE_MS}` }, waiting };
};
