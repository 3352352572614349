import { Redis } from 'ioredis';
import type { Occurrence } from '../occurrence/occurrence.js';
import type { WireForm } from '../occurrence/wire-form.js';
import { MAX_DEAD_LETTERS } from './dead-letters.js';
import { KEY_NAMES, SCRIPTS } from './redis-scripts.js';
import type { AttemptClock, BurialReason, DeadLetter, RecordWrite, Store, StoredEntry } from './store.js';

type Script = keyof typeof SCRIPTS;
type Commands = Record<Script, (...args: (string | number)[]) => Promise<unknown>>;
/** The seven keys, in the order that the scripts expect. */
type Keys = readonly [
  seq: string,
  order: string,
  entries: string,
  wires: string,
  attempts: string,
  dead: string,
  records: string,
];

export interface RedisStoreOptions {
  /** `redis://` or `rediss://`. */
  readonly url: string;
  /** Whose occurrences these are: two bridges that share a Redis need two names. */
  readonly binding: string;
  /** How long the first connection may take, ms. Default 5,000. */
  readonly connectTimeoutMs?: number;
}

/** Retries of a lost connection wait this long at most, ms. */
const MAX_RECONNECT_MS = 2000;

const recordArgs = (records: readonly RecordWrite[]): string[] =>
  records.flatMap(({ key, value }) => [key, value === undefined ? '' : JSON.stringify(value)]);

/**
 * A store in Redis. While Redis is away every call waits for it to come back, so nothing is sent unrecorded. Retry
 * deadlines are kept by Redis' clock.
 */
export class RedisStore implements Store {
  private constructor(
    private readonly redis: Redis,
    private readonly keys: Keys,
  ) {}

  /** @throws Error naming the server when it cannot be reached */
  static async open(options: RedisStoreOptions): Promise<RedisStore> {
    const keys = KEY_NAMES.map((name) => `mcpl:{${options.binding}}:${name}`) as unknown as Keys;
    const redis = new Redis(options.url, {
      lazyConnect: true,
      maxRetriesPerRequest: null,
      connectTimeout: options.connectTimeoutMs ?? 5000,
      retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RECONNECT_MS),
    });
    let lastError: Error | undefined;
    redis.on('error', (error: Error) => {
      lastError = error;
    });
    for (const [name, lua] of Object.entries(SCRIPTS)) redis.defineCommand(name, { numberOfKeys: keys.length, lua });
    try {
      await redis.connect();
    } catch (error) {
      redis.disconnect();
      const where = new URL(options.url).host;
      throw new Error(`Redis at ${where} cannot be reached: ${(lastError ?? (error as Error)).message}`);
    }
    return new RedisStore(redis, keys);
  }

  async load(): Promise<StoredEntry[]> {
    const [, order, entries, wires] = this.keys;
    const seqs = await this.redis.zrange(order, 0, -1);
    if (seqs.length === 0) return [];
    const occurrences = await this.redis.hmget(entries, ...seqs);
    const sent = await this.redis.hmget(wires, ...seqs);
    return seqs.flatMap((seq, i) => {
      const text = occurrences[i];
      const wire = sent[i];
      if (!text) return [];
      const entry = { seq: Number(seq), occurrence: JSON.parse(text) as Occurrence };
      return [wire ? { ...entry, wire: JSON.parse(wire) as WireForm } : entry];
    });
  }

  async append(occurrence: Occurrence, records: readonly RecordWrite[] = []): Promise<StoredEntry> {
    const seq = await this.run('storeAppend', JSON.stringify(occurrence), ...recordArgs(records));
    return { seq: Number(seq), occurrence };
  }

  async amend(seq: number, occurrence: Occurrence, records: readonly RecordWrite[] = []): Promise<void> {
    await this.run('storeAmend', seq, JSON.stringify(occurrence), ...recordArgs(records));
  }

  async drop(seq: number, records: readonly RecordWrite[] = []): Promise<void> {
    await this.run('storeForget', seq, ...recordArgs(records));
  }

  async attempt(seq: number, wire: WireForm, windowMs: number): Promise<AttemptClock> {
    const [elapsedMs, shortest] = (await this.run('storeAttempt', seq, JSON.stringify(wire), windowMs)) as number[];
    return { elapsedMs: elapsedMs ?? 'unknown', windowMs: shortest ?? windowMs };
  }

  async settle(seq: number, records: readonly RecordWrite[] = []): Promise<void> {
    await this.run('storeForget', seq, ...recordArgs(records));
  }

  async bury(seq: number, reason: BurialReason): Promise<void> {
    await this.run('storeBury', seq, reason, MAX_DEAD_LETTERS);
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    const texts = await this.redis.lrange(this.keys[5], -limit, -1);
    return texts.map((text) => {
      const [reason, entry] = JSON.parse(text) as [BurialReason, string];
      return { reason, occurrence: JSON.parse(entry) as Occurrence };
    });
  }

  async read(key: string): Promise<unknown> {
    const text = await this.redis.hget(this.keys[6], key);
    return text === null ? undefined : JSON.parse(text);
  }

  async write(records: readonly RecordWrite[]): Promise<void> {
    await this.run('storeForget', 0, ...recordArgs(records));
  }

  private run(script: Script, ...args: (string | number)[]): Promise<unknown> {
    return (this.redis as unknown as Commands)[script](...this.keys, ...args);
  }

  async close(): Promise<void> {
    // `quit` waits for a server that may be gone; nothing is pending here that was not already answered.
    this.redis.disconnect();
  }
}
