import { Redis } from 'ioredis';
import { nanoid } from 'nanoid';
import { describe, expect, it } from 'vitest';
import { RedisStore } from './redis-store.js';
import { describeStore } from './store.contract.js';

const url = process.env.REDIS_URL;
if (!url) throw new Error('REDIS_URL is not set: run npm test, which finds or starts a Redis');

const dispose = async (binding: string): Promise<void> => {
  const redis = new Redis(url);
  const keys = await redis.keys(`mcpl:{${binding}}:*`);
  if (keys.length > 0) await redis.del(...keys);
  redis.disconnect();
};

describeStore('Redis', async () => {
  const binding = nanoid();
  return { open: () => RedisStore.open({ url, binding }), dispose: () => dispose(binding), lasting: true };
});

describe('the Redis store', () => {
  it('keeps two bindings on one server apart', async () => {
    const [a, b] = [nanoid(), nanoid()];
    const first = await RedisStore.open({ url, binding: a });
    const second = await RedisStore.open({ url, binding: b });
    await first.write([{ key: 'k', value: 1 }]);
    expect(await second.read('k')).toBeUndefined();
    await Promise.all([first.close(), second.close(), dispose(a), dispose(b)]);
  });

  it('measures a retry deadline by the clock of Redis, not by that of the process', async () => {
    const binding = nanoid();
    const redis = new Redis(url);
    const store = await RedisStore.open({ url, binding });
    await redis.hset(`mcpl:{${binding}}:entries`, '1', '{}');
    const [seconds] = await redis.time();
    await redis.hset(`mcpl:{${binding}}:attempts`, '1', `${(Number(seconds) - 5400) * 1000}:7200000`);
    const clock = await store.attempt(1, { method: 'push/event', coalesced: true, params: {} }, 7_200_000);
    expect(clock.elapsedMs).toBeGreaterThanOrEqual(5_399_000);
    expect(clock.elapsedMs).toBeLessThan(5_460_000);
    redis.disconnect();
    await store.close();
    await dispose(binding);
  });

  it('says which server it cannot reach', async () => {
    await expect(RedisStore.open({ url: 'redis://127.0.0.1:1', binding: 'x' })).rejects.toThrow(
      /Redis at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/,
    );
  });
});
