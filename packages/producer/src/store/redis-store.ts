import { Redis } from 'ioredis';
import { nanoid } from 'nanoid';
import type { Log } from '../log.js';
import { silentLog } from '../log.js';
import type { Occurrence } from '../occurrence/occurrence.js';
import { doneWithin, systemTime } from '../time.js';
import { MAX_DEAD_LETTERS } from './dead-letters.js';
import { type Commit, EntryLog } from './log/entry-log.js';
import { redisAdvice } from './redis-advice.js';
import { type Connection, connectRedis, mastersOf } from './redis-connection.js';
import { RedisLease, TAKEN_OVER } from './redis-lease.js';
import { decodeMoment, recordsOf } from './redis-log.js';
import { migrateRedis, SCHEMA_VERSION } from './redis-migration.js';
import { KEY_NAMES, type SCRIPTS } from './redis-scripts.js';
import { type RedisSpec, readRedisSpec } from './redis-spec.js';
import {
  type AttemptClock,
  type BurialReason,
  type DeadLetter,
  type Store,
  type Stored,
  StoreLostWrites,
  type StoreStep,
  StoreTakenOver,
} from './store.js';

type Script = keyof typeof SCRIPTS;
type Commands = Record<Script, (keyCount: number, ...args: (string | number)[]) => Promise<unknown>>;

export interface RedisStoreOptions {
  /** See `readRedisSpec`. */
  readonly url: string;
  /** Whose occurrences these are, unless `?binding=` says otherwise. */
  readonly binding: string;
  readonly log?: Log;
  /** How long the first connection may take, ms. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Another instance is active: `open` waits until it is gone. Default: it is logged. */
  readonly onStandby?: ((holder: string, leftMs: number) => void) | undefined;
  /** Gives up waiting. */
  readonly signal?: AbortSignal;
}

/** How long replicas may take to have a commit, ms. */
const REPLICA_TIMEOUT_MS = 2000;

/** How long giving the lease back may take when the store is closed, ms: Redis may be gone. */
const GIVE_TIMEOUT_MS = 300;

/**
 * A store in Redis: standalone, behind Sentinel, or a cluster. While Redis is away every call waits for it to come back,
 * so nothing is sent unrecorded. Retry deadlines are kept by Redis' clock. One instance at a time has it, by a lease; each
 * commit carries that lease's token, so that an instance which was taken over without noticing changes nothing.
 */
export class RedisStore implements Store {
  private commits = 0;
  /** How often a connection was lost. */
  private losses = 0;

  private constructor(
    private readonly redis: Connection,
    private readonly spec: RedisSpec,
    private readonly holder: string,
    private readonly lease: RedisLease,
    private readonly log: EntryLog,
  ) {
    redis.on('close', () => {
      this.losses += 1;
    });
  }

  /** Resolves once no other instance has the store. @throws Error naming the servers when none can be reached */
  static async open(options: RedisStoreOptions): Promise<RedisStore> {
    const { log = silentLog, connectTimeoutMs = 5000, signal } = options;
    const spec = readRedisSpec(options.url, options.binding);
    const redis = await connectRedis(spec, connectTimeoutMs);
    const holder = nanoid();
    const keys = KEY_NAMES.map((name) => keyOf(spec, name));
    const run = (script: Script, ...args: (string | number)[]): Promise<unknown> =>
      (redis as unknown as Commands)[script](keys.length, ...keys, ...args);
    try {
      const lease = await RedisLease.take(
        {
          take: () => run('leaseTake', 0, holder, spec.leaseMs, SCHEMA_VERSION) as Promise<[0 | 1, number]>,
          renew: (token) => run('leaseRenew', token, holder, spec.leaseMs) as Promise<number>,
          give: (token) => run('leaseGive', token, holder),
        },
        {
          leaseMs: spec.leaseMs,
          signal,
          onStandby:
            options.onStandby ??
            ((active, leftMs) => log.info({ active, leftMs }, 'another instance is active: this one stands by')),
        },
      );
      for (const master of mastersOf(redis))
        for (const sentence of await redisAdvice(master)) log.warn({ binding: spec.binding }, sentence);
      const shape = await redis.get(keyOf(spec, 'schema'));
      const from = Number(shape ?? 1);
      if (from < SCHEMA_VERSION) await migrateRedis(redis, (name) => keyOf(spec, name), from);
      await redis.set(keyOf(spec, 'schema'), SCHEMA_VERSION);
      const found = recordsOf(await redis.hgetall(keyOf(spec, 'log')));
      return new RedisStore(redis, spec, holder, lease, new EntryLog(found));
    } catch (error) {
      redis.disconnect();
      throw explained(error as Error, spec);
    }
  }

  async load(): Promise<Stored> {
    return this.log.read();
  }

  async commit(steps: readonly StoreStep[], isRestated?: boolean): Promise<AttemptClock[]> {
    const commit = this.log.plan(steps, isRestated);
    const keys = [...KEY_NAMES, ...commit.records.map(({ key }) => `record:${key}`)].map((name) => this.key(name));
    // A commit that is made again has the same number, so that nobody is buried twice.
    const number = this.commits + 1;
    const { losses } = this;
    try {
      const moment = (await (this.redis as unknown as Commands).storeCommit(
        keys.length,
        ...keys,
        this.lease.token,
        this.holder,
        number,
        ...argumentsOf(commit),
      )) as string;
      await this.replicated(losses);
      this.commits = number;
      return this.log.apply(commit, decodeMoment(moment));
    } catch (error) {
      throw explained(error as Error, this.spec);
    }
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    const texts = await this.redis.lrange(this.key('dead'), -limit, -1);
    return texts.map((text) => {
      const [reason, entry] = JSON.parse(text) as [BurialReason, string];
      return { reason, occurrence: JSON.parse(entry) as Occurrence };
    });
  }

  async read(key: string): Promise<unknown> {
    const text = await this.redis.get(this.key(`record:${key}`));
    return text === null ? undefined : JSON.parse(text);
  }

  onTakenOver(listener: (error: StoreTakenOver) => void): void {
    this.lease.onTakenOver(listener);
  }

  async close(): Promise<void> {
    await doneWithin(
      systemTime,
      GIVE_TIMEOUT_MS,
      this.lease.give().catch(() => {}),
    );
    // `quit` waits for a server that may be gone; nothing is pending here that was not already answered.
    this.redis.disconnect();
  }

  private key(name: string): string {
    return keyOf(this.spec, name);
  }

  /**
   * Waits until enough replicas have what was written.
   * @param losses before it was written: what `WAIT` says is about its own connection's writes, and another one, perhaps
   * to another server, has none
   */
  private async replicated(losses: number): Promise<void> {
    const { replicas } = this.spec;
    if (replicas === 0 || !(this.redis instanceof Redis)) return;
    const count = await this.redis.wait(replicas, REPLICA_TIMEOUT_MS);
    if (this.losses !== losses) throw new Error('the connection was lost before replicas had what was written');
    if (count < replicas) throw new Error(`${count} of ${replicas} replicas of Redis have what was written`);
  }
}

const keyOf = ({ binding, shard }: RedisSpec, name: string): string =>
  `mcpl:{${shard === undefined ? binding : `${binding}#${shard}`}}:${name}`;

/** What `storeCommit` is told after the number of the commit. */
const argumentsOf = (commit: Commit): (string | number)[] => [
  commit.isRestated ? 1 : 0,
  commit.number,
  commit.text,
  commit.waiting,
  MAX_DEAD_LETTERS,
  commit.outdated.length,
  ...commit.outdated,
  commit.buried.length,
  ...commit.buried.map(({ reason, occurrence }) => JSON.stringify([reason, JSON.stringify(occurrence)])),
  ...commit.records.flatMap(({ value, keepMs }) => [value === undefined ? '' : JSON.stringify(value), keepMs ?? '']),
];

const explained = (error: Error, { hosts, binding }: RedisSpec): Error => {
  const where = `Redis at ${hosts.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
  if (error.message.startsWith('MCPL TAKENOVER')) return new StoreTakenOver(TAKEN_OVER);
  if (error.message.startsWith('MCPL LOSTWRITES'))
    return new StoreLostWrites(`${where} has lost what it had confirmed`);
  const newer = /^MCPL NEWER (\d+)/.exec(error.message)?.[1];
  if (newer !== undefined)
    return new Error(
      `${where} holds what a newer version has written for ${binding} (schema ${newer}); update, or use another binding`,
    );
  return error;
};
