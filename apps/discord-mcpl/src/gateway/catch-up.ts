import type { ChatBridge } from '@mcpl-bridges/chat';
import type { Log } from '@mcpl-bridges/producer';
import { type Client, type Guild, type GuildBasedChannel, SnowflakeUtil } from 'discord.js';
import { discordChannelId, mcplChannelId } from '../channel-ids.js';
import { isReadable } from './descriptor.js';
import type { ChannelPacket, GuildPacket } from './packets.js';
import type { Places } from './places.js';
import type { Registrar } from './registrar.js';

export interface CatchUpContext {
  readonly client: Client<true>;
  readonly places: Places;
  readonly registrar: Registrar;
  readonly log: Log;
  readonly bridge: () => ChatBridge | undefined;
}

/** Channels that are looked at again after a RESUME: those where something happened last. */
const MAX_CHANNELS = 50;

/** Servers that are. */
const MAX_GUILDS = 10;

/** What was under way when a bridge died may be older than the last that it stored, ms. */
const MARGIN_MS = 60_000;

/** Where `heard` keeps what is known of direct messages. */
const PRIVATE = 'dm';

/** ms since the Unix epoch. */
type Heard =
  /** Nothing was, though it could have been since then. */
  { readonly kind: 'never'; readonly since: number } | { readonly kind: 'until'; readonly time: number };

/** Finds out what happened while nobody listened: where to look, and what is news there. */
export class CatchUp {
  /** Where something happened, the latest last, with the guild where it was named. */
  private readonly active = new Map<string, string | undefined>();
  /** Until when a guild was listened to before it came into view last. */
  private readonly heard = new Map<string, Promise<Heard>>();

  constructor(private readonly context: CatchUpContext) {}

  /** Something happens in a channel. */
  noticed(lane: string, guildId: string | undefined): void {
    this.active.delete(lane);
    this.active.set(lane, guildId);
  }

  /** A guild comes into view at the start, and again after every session that could not be resumed. */
  guildCame({ d: { id, joined_at, channels = [], threads = [] } }: GuildPacket): void {
    const all = [...channels, ...threads];
    this.heard.set(
      id,
      this.heardUntil(
        all.map((channel) => mcplChannelId(id, channel.id)),
        Date.parse(joined_at),
      ),
    );
    for (const { id: lane, last_message_id: newest } of all)
      if (newest !== undefined) this.look(lane, id, newest ?? '');
  }

  /** A channel is made before our eyes: all that is said there is heard. */
  channelCame({ d: { id: lane, guild_id, last_message_id: newest } }: ChannelPacket): void {
    if (newest === undefined) return;
    this.noticed(lane, guild_id);
    this.look(lane, guild_id, '');
  }

  /** A session begins; private channels come one by one, if at all. */
  async sessionBegan(): Promise<void> {
    const lanes = this.context.bridge()?.privateLanes() ?? Promise.resolve([]);
    this.heard.set(
      PRIVATE,
      lanes.then((all) =>
        this.heardUntil(
          all.map((lane) => mcplChannelId(undefined, lane)),
          0,
        ),
      ),
    );
    for (const lane of await lanes) this.look(lane, undefined, undefined);
  }

  /** A replay may have holes: where something happened of late, a look costs little. */
  resumed(): void {
    const { client, log } = this.context;
    for (const [lane, guildId] of [...this.active].slice(-MAX_CHANNELS)) this.look(lane, guildId, undefined);
    const busiest = [...this.active.values()].reverse().flatMap((id) => client.guilds.cache.get(id ?? '') ?? []);
    for (const guild of [...new Set([...busiest, ...client.guilds.cache.values()])].slice(0, MAX_GUILDS))
      this.lookInto(guild).catch((error: Error) =>
        log.warn({ guildId: guild.id, reason: error.message }, 'the channels of a server could not be looked at'),
      );
  }

  /** Whether a channel was made while nobody listened: all that is said there is news. */
  async isNew(channelId: string): Promise<boolean> {
    const lane = discordChannelId(channelId);
    const channel = this.context.client.channels.cache.get(lane);
    const guildId = channel && !channel.isDMBased() ? channel.guildId : PRIVATE;
    const listenedUntil = await this.listenedUntil(guildId);
    // A thread that was started from a message has that message's id.
    const bornAt = channel?.isThread() ? channel.createdTimestamp : SnowflakeUtil.timestampFrom(lane);
    return listenedUntil !== undefined && bornAt !== null && bornAt > listenedUntil;
  }

  private async listenedUntil(guildId: string): Promise<number | undefined> {
    const heard = await this.heard.get(guildId);
    if (heard?.kind === 'until') return heard.time;
    if (guildId !== PRIVATE) return heard?.since;
    // Where nobody ever wrote directly, what was heard elsewhere says until when somebody listened.
    const elsewhere = (await Promise.all(this.heard.values())).flatMap((one) => (one.kind === 'until' ? one.time : []));
    return elsewhere.length > 0 ? Math.max(...elsewhere) : heard?.since;
  }

  private look(lane: string, guildId: string | undefined, newest: string | undefined): void {
    const { bridge, client, places } = this.context;
    bridge()?.reconcile(lane, async () => {
      const channel = client.channels.cache.get(lane);
      if (channel && !channel.isDMBased() && !isReadable(channel)) return undefined;
      const place = await places.find(lane, guildId, undefined);
      return place && { channelId: place.channelId, newest };
    });
  }

  /** Channels and threads that came, went or were talked in while nobody said so. */
  private async lookInto(guild: Guild): Promise<void> {
    const { registrar } = this.context;
    const before = [...guild.channels.cache.values()];
    const newest = new Map(before.map((channel) => [channel.id, newestIn(channel)]));
    const found = await guild.channels.fetch();
    await guild.channels.fetchActiveThreads();
    registrar.remove(before.filter((channel) => !channel.isThread() && !found.has(channel.id)));
    for (const channel of guild.channels.cache.values()) {
      registrar.look(channel);
      const now = newestIn(channel);
      if (now !== undefined && now !== newest.get(channel.id)) this.look(channel.id, guild.id, now);
    }
  }

  /** @param joinedAt since when anything could be heard, ms since the Unix epoch */
  private async heardUntil(channelIds: readonly string[], joinedAt: number): Promise<Heard> {
    const bridge = this.context.bridge();
    const newest = await bridge?.newestOf(channelIds);
    if (newest) return { kind: 'until', time: SnowflakeUtil.timestampFrom(newest) - MARGIN_MS };
    return { kind: 'never', since: Math.max(joinedAt, bridge?.firstRunAt ?? 0) };
  }
}

/** `''` where nothing was said yet; `undefined` where nothing can be. */
const newestIn = (channel: GuildBasedChannel): string | undefined =>
  'lastMessageId' in channel ? (channel.lastMessageId ?? '') : undefined;
