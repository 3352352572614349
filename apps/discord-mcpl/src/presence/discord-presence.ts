import type { PresenceFeed, Roster } from '@mcpl-bridges/presence';
import type { Log } from '@mcpl-bridges/producer';
import type { AnyThreadChannel, Client, Guild } from 'discord.js';
import pLimit from 'p-limit';
import { DiscordRoster } from './discord-roster.js';
import { isPresencePacket } from './packets.js';
import { DIRECT, signalsOf, threadCensus } from './signals.js';

/** Servers whose members are asked for at once, and threads. */
const MAX_ASKED = 2;

export interface DiscordPresenceOptions {
  readonly client: Client<true>;
  readonly knowsChannel: (channelId: string) => boolean;
  readonly log: Log;
}

/** Tells a feed who is where in Discord. What a gateway says is told as it comes; who may see whom is the client's to know. */
export class DiscordPresence {
  readonly roster: Roster;
  /** Servers whose members are known, all of them and as they are now. */
  private readonly whole = new Set<string>();
  /** Threads of which it is known who has joined them. */
  private readonly knownThreads = new Set<string>();
  /** What is being learnt of a server, in the session that it is learnt in. */
  private readonly learning = new Map<string, symbol>();
  private readonly asking = pLimit(MAX_ASKED);
  /** It was asked who is where, and answered as far as there was an answer. */
  private hasLearnt = false;

  constructor(private readonly options: DiscordPresenceOptions) {
    const { client, knowsChannel } = options;
    this.roster = new DiscordRoster({
      client,
      knowsChannel,
      isWhole: (guildId) => this.whole.has(guildId),
      knowsThread: (threadId) => this.knownThreads.has(threadId),
    });
  }

  /** Whether anything is told now. */
  get tells(): boolean {
    return this.options.client.isReady() && this.hasLearnt;
  }

  get selfName(): string {
    return this.options.client.user?.displayName ?? '';
  }

  start(feed: PresenceFeed): void {
    const { client } = this.options;
    const changed = (scope: string): void => feed.rosterChanged(scope);
    client.on('raw', (packet: { t?: unknown }, shard: number) => {
      if (packet.t === 'READY' && shard === 0) feed.tell({ kind: 'census', scope: DIRECT });
      if (!isPresencePacket(packet)) return;
      // Who left meanwhile is still in the client's cache.
      if (packet.t === 'GUILD_CREATE' || packet.t === 'GUILD_DELETE') this.forget(packet.d.id);
      for (const signal of signalsOf(packet)) feed.tell(signal);
    });
    client.on('clientReady', async () => {
      const guilds = [...client.guilds.cache.values()];
      await Promise.all(guilds.map((guild) => this.learn(guild, feed)));
      this.hasLearnt = true;
      // Who has waited for channels that there are not has waited long enough.
      for (const scope of [DIRECT, ...guilds.map(({ id }) => id)]) changed(scope);
    });
    for (const event of ['guildCreate', 'guildAvailable'] as const)
      client.on(event, (guild) => void this.learn(guild, feed));
    client.on('guildMemberAdd', ({ guild }) => changed(guild.id));
    client.on('guildMemberUpdate', (before, { guild, roles }) => {
      // Names and pictures decide nothing.
      if (before.partial || !before.roles.cache.equals(roles.cache)) changed(guild.id);
    });
    client.on('guildMemberRemove', ({ guild }) => changed(guild.id));
    client.on('guildUpdate', (_before, { id }) => changed(id));
    client.on('guildDelete', ({ id }) => changed(id));
    client.on('roleCreate', ({ guild }) => changed(guild.id));
    client.on('roleUpdate', (_before, { guild }) => changed(guild.id));
    client.on('roleDelete', ({ guild }) => changed(guild.id));
    client.on('channelCreate', ({ guildId }) => changed(guildId));
    client.on('channelDelete', (channel) => changed(channel.isDMBased() ? DIRECT : channel.guildId));
    client.on('threadCreate', (thread) => {
      changed(thread.guildId);
      void this.learnThreads([thread], feed);
    });
    client.on('threadListSync', (threads) => void this.learnThreads([...threads.values()], feed));
    client.on('threadDelete', ({ id, guildId }) => {
      this.knownThreads.delete(id);
      changed(guildId);
    });
    client.on('channelUpdate', (_before, channel) => changed(channel.isDMBased() ? DIRECT : channel.guildId));
    client.on('threadUpdate', (_before, { guildId }) => changed(guildId));
    client.on('threadMembersUpdate', (_added, _removed, { guildId }) => changed(guildId));
    const lost = (shard: number): void => this.each(shard, (scope) => feed.tell({ kind: 'lost', scope }));
    client.on('shardReconnecting', lost);
    client.on('shardDisconnect', (_event, shard) => lost(shard));
    client.on('shardResume', (shard) => this.each(shard, (scope) => feed.tell({ kind: 'back', scope })));
  }

  /** What one connection tells of. */
  private each(shard: number, tell: (scope: string) => void): void {
    if (shard === 0) tell(DIRECT);
    for (const guild of this.options.client.guilds.cache.values()) if (guild.shardId === shard) tell(guild.id);
  }

  private forget(guildId: string): void {
    this.whole.delete(guildId);
    this.learning.delete(guildId);
    for (const channel of this.options.client.guilds.cache.get(guildId)?.channels.cache.values() ?? [])
      this.knownThreads.delete(channel.id);
  }

  /** Asks for all members of a server, and who is in its threads. */
  private async learn(guild: Guild, feed: PresenceFeed): Promise<void> {
    const session = Symbol(guild.id);
    this.learning.set(guild.id, session);
    const before = new Set(guild.members.cache.keys());
    try {
      const members = await this.asking(() => guild.members.fetch({ withPresences: true }));
      if (this.learning.get(guild.id) !== session) return;
      guild.members.cache.sweep(({ id }) => before.has(id) && !members.has(id));
      this.whole.add(guild.id);
      feed.rosterChanged(guild.id);
      void this.learnThreads([...guild.channels.cache.filter((channel) => channel.isThread()).values()], feed);
    } catch (error) {
      const reason = (error as Error).message;
      this.options.log.warn(
        { guildId: guild.id, reason },
        'who is in a server is not known: its presence is not shown',
      );
    }
  }

  /** Asks who has joined threads; who joins or leaves from then on is told. */
  private async learnThreads(threads: readonly AnyThreadChannel[], feed: PresenceFeed): Promise<void> {
    for (const thread of threads)
      try {
        const joined = await this.asking(() => thread.members.fetch({ cache: true }));
        // Who left in an earlier session is still in the client's cache.
        thread.members.cache.sweep(({ id }) => !joined.has(id));
        this.knownThreads.add(thread.id);
        feed.tell(threadCensus(thread.guildId, thread.id, [...joined.keys()]));
        feed.rosterChanged(thread.guildId);
      } catch (error) {
        this.options.log.debug(
          { threadId: thread.id, reason: (error as Error).message },
          'who is in a thread is not known',
        );
      }
  }
}
