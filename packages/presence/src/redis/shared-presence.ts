import {
  connectRedis,
  type Log,
  type RedisConnection,
  readRedisSpec,
  silentLog,
  systemTime,
  type Time,
} from '@mcpl-bridges/producer';
import { z } from 'zod';
import type { PresenceFeed } from '../feed/feed.js';
import { DEFAULT_TRACKER_LIMITS } from '../tracker/tracker.js';

export interface SharedPresenceOptions {
  /** As `MCPL_STORE` names a Redis. */
  readonly url: string;
  /** Whose presence it is: instances of one name tell each other. Default of the URL's `binding`. */
  readonly binding: string;
  readonly feed: PresenceFeed;
  /** Tells this instance from the others. */
  readonly instanceId: string;
  /** The agent's own account, and its name; nothing while it is away. */
  readonly self: () => { readonly id: string; readonly name: string } | undefined;
  /** Another instance has met somebody. */
  readonly met: (channelId: string, userId: string, name: string) => void;
  readonly time?: Time;
  readonly log?: Log;
  /** How long Redis may take to answer at the start, ms. Default 10,000. */
  readonly timeoutMs?: number;
}

const sighting = z.object({
  kind: z.enum(['typing', 'spoke']),
  channelId: z.string(),
  userId: z.string(),
  name: z.string(),
});
type Sighting = z.infer<typeof sighting>;

/** An agent says where it is. */
const stay = z.object({ kind: z.literal('here'), userId: z.string(), name: z.string(), channels: z.array(z.string()) });
type Stay = z.infer<typeof stay>;

const gone = z.object({ kind: z.literal('gone') });
const message = z.object({ from: z.string(), said: z.union([sighting, stay, gone]) });

/** How often an instance says that it is there, ms: three times before the others forget it. */
const ANNOUNCE_MS = DEFAULT_TRACKER_LIMITS.sharedMs / 3;

/** What changes at once is said at once, ms. */
const SOON_MS = 200;

const LASTS_MS = { typing: DEFAULT_TRACKER_LIMITS.typingMs, spoke: DEFAULT_TRACKER_LIMITS.speakingMs } as const;

/**
 * What several instances know of who is where, by keys that expire of themselves. While Redis is away each goes by what
 * it sees itself.
 */
export class SharedPresence {
  private readonly stays = new Map<string, Stay>();
  private callOff: () => void = () => {};
  private readonly time: Time;
  private readonly prefix: string;

  private constructor(
    private readonly options: SharedPresenceOptions,
    private readonly redis: RedisConnection,
    private readonly ear: RedisConnection,
    binding: string,
  ) {
    this.time = options.time ?? systemTime;
    // One hash tag: in a cluster all of it is in one place.
    this.prefix = `{mcpl-presence:${binding}}`;
  }

  /** @throws Error where the URL is wrong, or Redis does not answer */
  static async open(options: SharedPresenceOptions): Promise<SharedPresence> {
    const spec = readRedisSpec(options.url, options.binding);
    const redis = await connectRedis(spec, options.timeoutMs ?? 10_000);
    const shared = new SharedPresence(options, redis, redis.duplicate(), spec.binding);
    await shared.listen();
    return shared;
  }

  /** Whether somebody is the agent of another instance. */
  isAgent(userId: string): boolean {
    for (const { userId: id } of this.stays.values()) if (id === userId) return true;
    return false;
  }

  /** Tells the others what was seen here. */
  tell({ kind, channelId, userId, name }: Sighting): void {
    const said: Sighting = { kind, channelId, userId, name };
    this.keep(`${this.prefix}:${kind}:${channelId}:${userId}`, said, LASTS_MS[kind]);
  }

  /** Says in a moment where the agent is, and goes on saying so. */
  announce(): void {
    this.callOff();
    this.callOff = this.time.after(SOON_MS, () => this.sayWhere());
  }

  private sayWhere(): void {
    const { self, feed, instanceId } = this.options;
    const who = self();
    if (who) {
      const channels = [...feed.roster.channels()];
      const said: Stay = { kind: 'here', userId: who.id, name: who.name, channels };
      this.keep(`${this.prefix}:here:${instanceId}`, said, DEFAULT_TRACKER_LIMITS.sharedMs);
    }
    this.callOff = this.time.after(ANNOUNCE_MS, () => this.sayWhere());
  }

  async close(): Promise<void> {
    this.callOff();
    if (this.redis.status === 'ready') {
      const { instanceId } = this.options;
      await this.redis
        .multi()
        .del(`${this.prefix}:here:${instanceId}`)
        .publish(this.prefix, JSON.stringify({ from: instanceId, said: { kind: 'gone' } }))
        .exec()
        .catch(() => undefined);
    }
    this.ear.disconnect();
    this.redis.disconnect();
  }

  /** Hears what is said from now on, and then learns what was said before. */
  private async listen(): Promise<void> {
    const { log = silentLog } = this.options;
    this.ear.on('message', (_channel: string, text: string) => this.hear(text));
    this.ear.on('error', ({ message: reason }: Error) => log.debug({ reason }, 'shared presence is out of reach'));
    await this.ear.subscribe(this.prefix);
    const names = await this.keys();
    for (const name of names) {
      const text = await this.redis.get(name);
      if (text !== null) this.hear(text);
    }
  }

  private async keys(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const node of 'nodes' in this.redis ? this.redis.nodes('master') : [this.redis])
      for await (const names of node.scanStream({
        match: `${this.prefix.replace(/[[\]*?\\]/g, '\\$&')}:*`,
        count: 500,
      }))
        found.push(...(names as string[]));
    return found;
  }

  private keep(key: string, said: Sighting | Stay, ms: number): void {
    // What waits for Redis to come back would be told too late.
    if (this.redis.status !== 'ready') return;
    const { instanceId: from, log = silentLog } = this.options;
    const text = JSON.stringify({ from, said });
    this.redis
      .multi()
      .set(key, text, 'PX', ms)
      .publish(this.prefix, text)
      .exec()
      .catch(({ message: reason }: Error) => log.debug({ reason }, 'presence could not be shared'));
  }

  private hear(text: string): void {
    const read = message.safeParse(parsed(text));
    if (!read.success || read.data.from === this.options.instanceId) return;
    const { from, said } = read.data;
    const { feed, met } = this.options;
    switch (said.kind) {
      case 'typing':
      case 'spoke':
        met(said.channelId, said.userId, said.name);
        feed.take({ kind: said.kind, channelId: said.channelId, userId: said.userId });
        return;
      case 'here':
        this.left(from, new Set(said.channels));
        this.stays.set(from, said);
        for (const channelId of said.channels) {
          met(channelId, said.userId, said.name);
          feed.take({ kind: 'shared', channelId, userId: said.userId });
        }
        return;
      case 'gone':
        this.left(from, new Set());
        this.stays.delete(from);
    }
  }

  /** What an instance is no longer in. */
  private left(from: string, still: ReadonlySet<string>): void {
    const before = this.stays.get(from);
    for (const channelId of before?.channels ?? [])
      if (before && !still.has(channelId))
        this.options.feed.take({ kind: 'unshared', channelId, userId: before.userId });
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
