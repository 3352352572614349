import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatBridge, type ChatMessage, type HistoryQuery, SendRefused } from '@mcpl-bridges/chat';
import { backoffMs } from '@mcpl-bridges/producer';
import {
  type AnyThreadChannel,
  type APIMessage,
  Client,
  type DMChannel,
  GatewayIntentBits,
  type Guild,
  type NonThreadGuildBasedChannel,
  Options,
  Routes,
} from 'discord.js';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { discordChannelId, mcplChannelId } from '../channel-ids.js';
import { SlashCommands } from '../commands/slash-commands.js';
import { type Filters, isSuppressed, passesDmFilter } from '../config/filters.js';
import { asked } from '../platform/asked.js';
import { CatchUp } from './catch-up.js';
import { readCloseCode, readLoginError } from './login-error.js';
import { type Readers, readersOf } from './members.js';
import { MessageReader, type WholeMessage } from './message-reader.js';
import { leaveNote, type PlacedNote, threadNote } from './notes.js';
import {
  type ClearingPacket,
  emojiText,
  isChannelPacket,
  isClearingPacket,
  isGuildGone,
  isGuildPacket,
  isLeavingPacket,
  isMessagePacket,
  isReactionPacket,
  type MessagePacket,
  type ReactionPacket,
} from './packets.js';
import { Places } from './places.js';
import { Registrar } from './registrar.js';
import { type Numbered, Repetitions } from './repetitions.js';

export interface DiscordGatewayOptions {
  readonly token: string;
  readonly apiBase: string | undefined;
  /** What the operator lets through now. */
  readonly filters: () => Filters;
  /** Whether to ask for the Server Members intent. */
  readonly members: boolean;
  /** Whether to ask for who is where, which needs the Server Members intent, too. */
  readonly presence: boolean;
  /** Users who may give slash commands. */
  readonly admins: ReadonlySet<string>;
  readonly log: Logger;
  /** ms since the Unix epoch. */
  readonly now?: () => number;
  /** The login can never work, now or in mid-life. */
  readonly onFatal: (error: Error) => void;
}

/** Without it nothing is known of who leaves; it is privileged, and not everybody needs it. */
const MEMBERS = GatewayIntentBits.GuildMembers;

/** What says who is where; statuses are privileged, too. */
const PRESENCE = [
  GatewayIntentBits.GuildPresences,
  GatewayIntentBits.GuildVoiceStates,
  GatewayIntentBits.GuildMessageTyping,
  GatewayIntentBits.DirectMessageTyping,
];

const INTENTS = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.DirectMessageReactions,
  GatewayIntentBits.MessageContent,
];

const threadsOf = (channel: DMChannel | NonThreadGuildBasedChannel): readonly AnyThreadChannel[] =>
  'threads' in channel ? [...channel.threads.cache.values()] : [];

/** The connection that direct messages come by. */
const PRIVATE_SHARD = 0;

/** Histories that are asked for at once: what is posted meanwhile must not wait behind them all. */
const MAX_FETCHES = 4;

const LEAST_LOGIN_PAUSE_MS = 1000;

/** Bounds of what is added to the pause between logins while Discord cannot be reached, ms: they have a budget. */
const LOGIN_PAUSE = { baseMs: 2000, maxMs: 60_000 };

/**
 * The connection to Discord. Messages are taken from the raw stream in the order they arrive, before the client's
 * caches have had their say: its structured events lose and reorder them. Channels come from the client's caches.
 */
export class DiscordGateway {
  readonly client: Client<true>;
  private bridge: ChatBridge | undefined;
  private closed = false;
  private readonly fetches = pLimit(MAX_FETCHES);
  private readonly places: Places;
  private readonly registrar: Registrar;
  private readonly reader: MessageReader;
  private readonly catchUp: CatchUp;
  private readonly repetitions = new Repetitions();

  constructor(private readonly options: DiscordGatewayOptions) {
    this.client = new Client({
      intents: [
        ...INTENTS,
        ...(options.members || options.presence ? [MEMBERS] : []),
        ...(options.presence ? PRESENCE : []),
      ],
      // As many connections as Discord wants for so many servers.
      shards: 'auto',
      makeCache: Options.cacheWithLimits({
        ...Options.DefaultMakeCacheSettings,
        MessageManager: 0,
        PresenceManager: 0,
      }),
      ...(options.apiBase === undefined ? {} : { rest: { api: options.apiBase } }),
    }) as Client<true>;
    this.places = new Places({
      client: this.client,
      filters: options.filters,
      log: options.log,
      bridge: () => this.bridge,
    });
    const { client, places } = this;
    const { filters, log } = options;
    const bridge = () => this.bridge;
    this.registrar = new Registrar({ client, places, filters, bridge });
    this.reader = new MessageReader({ client, places, log, now: () => this.now() });
    this.catchUp = new CatchUp({ client, places, registrar: this.registrar, log, bridge });
  }

  get rest() {
    return this.client.rest;
  }

  /** Starts delivering to `bridge` and logs in, trying again until Discord can be reached. Does not wait for it. */
  start(bridge: ChatBridge): void {
    this.bridge = bridge;
    const { client, options, registrar } = this;
    const { admins, log } = options;
    const commands = new SlashCommands({ client, bridge, admins, log, passes: (guild) => registrar.passes(guild) });
    client.on('raw', (packet: Numbered, shard: number) => {
      if (this.repetitions.isOne(packet, shard)) return;
      if (isMessagePacket(packet)) this.receive(packet);
      else if (isReactionPacket(packet)) this.receiveReaction(packet);
      else if (isClearingPacket(packet)) this.receiveClearing(packet);
      else if (isLeavingPacket(packet)) this.tell(leaveNote(client, packet, this.now()));
      else if (isGuildPacket(packet)) this.catchUp.guildCame(packet);
      else if (isChannelPacket(packet)) this.catchUp.channelCame(packet);
      else if (isGuildGone(packet)) registrar.removeGuild(packet.d.id);
      else if (packet.t === 'READY' && shard === PRIVATE_SHARD) void this.catchUp.sessionBegan();
      else if (packet.t === 'RESUMED') this.catchUp.resumed();
    });
    client.on('clientReady', () => {
      options.log.info({ guilds: client.guilds.cache.size, user: client.user.tag }, 'connected to Discord');
      for (const guild of client.guilds.cache.values()) this.joined(guild, commands);
    });
    client.on('guildCreate', (guild) => this.joined(guild, commands));
    client.on('guildUpdate', (_before, guild) => registrar.lookAround(guild));
    client.on('roleUpdate', (_before, { guild }) => registrar.lookAround(guild));
    client.on('roleDelete', ({ guild }) => registrar.lookAround(guild));
    client.on('guildMemberUpdate', (_before, { id, guild }) => {
      if (id === client.user.id) registrar.lookAround(guild);
    });
    client.on('channelCreate', (channel) => registrar.add([channel]));
    client.on('channelUpdate', (_before, channel) => registrar.look(channel));
    client.on('channelDelete', (channel) => registrar.remove([channel, ...threadsOf(channel)]));
    client.on('threadCreate', (thread) => registrar.add([thread]));
    client.on('threadUpdate', (before, thread) => {
      registrar.look(thread);
      this.tell(threadNote(before, thread, this.now()));
    });
    client.on('threadDelete', (thread) => registrar.remove([thread]));
    client.on('shardReconnecting', (shard) => options.log.info({ shard }, 'reconnecting to Discord'));
    client.on('shardResume', (shard, replayed) => options.log.info({ shard, replayed }, 'resumed'));
    client.on('warn', (message) => options.log.warn({ from: 'discord.js' }, message));
    client.on('error', (error) => options.log.error({ reason: error.message }, 'Discord client error'));
    client.on('invalidated', () => this.fail(readLoginError({ code: 'TokenInvalid' }, [])));
    client.rest.on('response', ({ data: { auth } }, { status }) => {
      // The client forgets a token that was refused once: nothing would work any more.
      if (status === 401 && auth) this.fail(readLoginError({ status }, []));
    });
    client.on('shardDisconnect', ({ code }) => this.fail(readCloseCode(code, this.privileged)));
    void this.login();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.client.destroy();
  }

  private async login(): Promise<void> {
    for (let attempt = 0; !this.closed; attempt++) {
      try {
        await this.client.login(this.options.token);
        return;
      } catch (error) {
        const refused = readLoginError(error, this.privileged);
        if (refused) return this.fail(refused);
        this.options.log.warn({ reason: (error as Error).message }, 'Discord cannot be reached; trying again');
        await sleep(LEAST_LOGIN_PAUSE_MS + backoffMs(attempt, Math.random(), LOGIN_PAUSE));
      }
    }
  }

  private fail(error: Error | undefined): void {
    if (error && !this.closed) this.options.onFatal(error);
  }

  /** The privileged intents that are asked for, by their names in the developer portal. */
  private get privileged(): readonly string[] {
    const { members, presence } = this.options;
    return ['Message Content', ...(members || presence ? ['Server Members'] : []), ...(presence ? ['Presence'] : [])];
  }

  /** Registers what is let through now, and takes out what is not any more. */
  filtersChanged(): void {
    this.registrar.lookAround();
  }

  /** Whether a channel was made while nobody listened. */
  isNewChannel(channelId: string): Promise<boolean> {
    return this.catchUp.isNew(channelId);
  }

  mayWriteTo(userId: string): boolean {
    return passesDmFilter(this.options.filters(), userId);
  }

  /** The servers that the operator lets through. */
  guilds(): { id: string; name: string }[] {
    const allowed = [...this.client.guilds.cache.values()].filter((guild) => this.registrar.passes(guild));
    return allowed.map(({ id, name }) => ({ id, name }));
  }

  /** @throws SendRefused for a channel that the bot cannot see */
  membersOf(lane: string): Readers {
    const readers = readersOf(this.client, lane);
    if (!readers) throw new SendRefused('the bot cannot see this channel');
    return readers;
  }

  /** Registers every channel that the bot can see. */
  async refresh(): Promise<void> {
    for (const guild of this.client.guilds.cache.values()) {
      await guild.channels.fetch();
      this.registrar.addGuild(guild);
    }
  }

  /** A message that was found somewhere; `undefined` where the operator does not let its place through. */
  async readFound(message: APIMessage): Promise<ChatMessage | undefined> {
    const place = await this.places.find(message.channel_id, undefined, undefined);
    return place && this.reader.read(message as WholeMessage, place);
  }

  /** What stands in a channel now, oldest first. @throws SendRefused */
  async history(channelId: string, { limit, before, around }: HistoryQuery): Promise<readonly ChatMessage[]> {
    const lane = discordChannelId(channelId);
    const place = await this.places.find(lane, undefined, undefined);
    if (!place) throw new SendRefused('the bot cannot see this channel');
    const query = new URLSearchParams({
      limit: String(limit),
      ...(before === undefined ? {} : { before }),
      ...(around === undefined ? {} : { around }),
    });
    const route = Routes.channelMessages(lane);
    const page = await asked<WholeMessage[]>(this.fetches(() => this.client.rest.get(route, { query })));
    return page.reverse().map((message) => this.reader.read(message, place));
  }

  private receive(packet: MessagePacket): void {
    const { channel_id: lane, guild_id: guildId } = packet.d;
    this.catchUp.noticed(lane, guildId);
    this.bridge?.receive(lane, () => this.reader.understand(packet));
  }

  private receiveReaction({ t, d }: ReactionPacket): void {
    const emoji = emojiText(d.emoji);
    if (!this.bridge?.hearsReactions(mcplChannelId(d.guild_id, d.channel_id))) return;
    if (d.user_id === this.client.user.id || d.member?.user?.bot || isSuppressed(this.options.filters(), d.emoji))
      return;
    const at = this.now();
    this.bridge?.receive(d.channel_id, async () => {
      const by = { id: d.user_id, name: await this.nameOf(d) };
      const place = await this.places.find(d.channel_id, d.guild_id, by);
      if (!place) return undefined;
      const isAdded = t === 'MESSAGE_REACTION_ADD';
      return {
        kind: 'reacted',
        reaction: { channelId: place.channelId, messageId: d.message_id, emoji, by, isAdded, at },
      };
    });
  }

  private receiveClearing({ d }: ClearingPacket): void {
    const at = this.now();
    if (!this.bridge?.hearsReactions(mcplChannelId(d.guild_id, d.channel_id))) return;
    this.bridge?.receive(d.channel_id, async () => {
      const place = await this.places.find(d.channel_id, d.guild_id, undefined);
      if (!place) return undefined;
      const { channelId } = place;
      const emoji = d.emoji && emojiText(d.emoji);
      return { kind: 'reactions-cleared', channelId, messageId: d.message_id, at, ...(emoji ? { emoji } : {}) };
    });
  }

  private async nameOf({ user_id, member }: ReactionPacket['d']): Promise<string> {
    const named = member?.nick ?? member?.user?.global_name ?? member?.user?.username;
    if (named !== undefined) return named;
    const user = await this.client.users.fetch(user_id).catch(() => undefined);
    return user?.displayName ?? user_id;
  }

  private now(): string {
    return new Date((this.options.now ?? Date.now)()).toISOString();
  }

  private joined(guild: Guild, commands: SlashCommands): void {
    this.registrar.addGuild(guild);
    void commands.offer(guild);
  }

  private tell(placed: PlacedNote | undefined): void {
    if (placed) this.bridge?.receive(placed.lane, async () => ({ kind: 'news', note: placed.note }));
  }
}
