import { EventEmitter } from 'node:events';
import type { Clock } from '../clock.js';
import { newUser } from './defaults.js';
import {
  type Bot,
  type Channel,
  type Guild,
  isPrivate,
  isThread,
  type Json,
  type Message,
  type PresenceStatus,
  type Reaction,
  type User,
  type Webhook,
} from './entities.js';
import type { Interaction } from './interactions.js';
import { Permission, type PermissionName, permissionsIn } from './permissions.js';
import { snowflakes } from './snowflake.js';

/** Something that happened, before it is known which sessions get to see it. */
export interface Dispatch {
  /** Event name, e.g. `MESSAGE_CREATE`. */
  readonly t: string;
  readonly d: Json;
  readonly guildId?: string;
  /** Only accounts that can see this channel get the event. */
  readonly channelId?: string;
  /** Only this account sees it. */
  readonly to?: string;
}

/** The state of the local Discord. Everything that changes it also says so as a dispatch. */
export class World extends EventEmitter<{ dispatch: [Dispatch] }> {
  readonly nextId: () => string;
  readonly users = new Map<string, User>();
  readonly bots = new Map<string, Bot>();
  readonly guilds = new Map<string, Guild>();
  readonly channels = new Map<string, Channel>();
  /** Messages by channel, oldest first. */
  readonly messages = new Map<string, Map<string, Message>>();
  /** Reactions by message id. */
  readonly reactions = new Map<string, Reaction[]>();
  readonly webhooks = new Map<string, Webhook>();
  /** Slash commands by guild. */
  readonly commands = new Map<string, readonly Json[]>();
  /** Commands that were given, by token. */
  readonly interactions = new Map<string, Interaction>();
  /** File contents by `<channel>/<attachment>/<name>`. */
  readonly files = new Map<string, { bytes: Uint8Array; contentType: string }>();
  /** How accounts show themselves, and what they say they do; absent: offline. */
  readonly presences = new Map<string, { status: PresenceStatus; activities: readonly Json[] }>();
  /** Who has joined each thread. */
  readonly threadMembers = new Map<string, Set<string>>();
  /** Users who accept no direct messages. */
  readonly closedToDms = new Set<string>();
  /** Where clients reach this sandbox, e.g. `http://127.0.0.1:4711`; set once it listens. */
  origin = '';
  /** How long the links to files last that are made from now on, ms. */
  linkLifeMs = 86_400_000;
  /** Whether message dispatches name their channel's type; real ones have been seen without. */
  sendsChannelType = true;
  private lastMicros = 0;

  constructor(private readonly clock: Clock) {
    super();
    this.nextId = snowflakes(() => clock.now());
  }

  /** The present as Discord writes it, to the microsecond; no two calls give the same. */
  now(): string {
    this.lastMicros = Math.max(this.lastMicros + 1, this.clock.now() * 1000);
    const millis = new Date(Math.floor(this.lastMicros / 1000)).toISOString().slice(0, -1);
    return `${millis}${String(this.lastMicros % 1000).padStart(3, '0')}+00:00`;
  }

  /** A link to a file, with the time of its end. */
  linkTo(path: string): string {
    const ends = Math.floor((Date.parse(this.now()) + this.linkLifeMs) / 1000);
    return `${this.origin}/attachments/${path}?ex=${ends.toString(16)}&is=0&hm=0`;
  }

  createUser(username: string): User {
    const user = newUser(this.nextId(), username, false);
    this.users.set(user.id, user);
    return user;
  }

  createBot(username: string, token: string, privileged: Partial<Bot['privileged']> = {}): Bot {
    const user = newUser(this.nextId(), username, true);
    const bot: Bot = {
      user,
      token,
      privileged: { messageContent: true, guildMembers: true, presences: true, ...privileged },
    };
    this.users.set(user.id, user);
    this.bots.set(token, bot);
    return bot;
  }

  dispatch(dispatch: Dispatch): void {
    this.emit('dispatch', dispatch);
  }

  messagesOf(channelId: string): Map<string, Message> {
    const existing = this.messages.get(channelId);
    if (existing) return existing;
    const created = new Map<string, Message>();
    this.messages.set(channelId, created);
    return created;
  }

  /** May `userId` do `permission` in `channel`? Threads follow their parent; private channels their recipients. */
  can(userId: string, permission: PermissionName, channel: Channel): boolean {
    if (isPrivate(channel)) return channel.recipients?.some((one) => one.id === userId) ?? false;
    const guild = this.guilds.get(channel.guild_id ?? '');
    if (!guild) return false;
    const place = isThread(channel) ? this.channels.get(channel.parent_id ?? '') : channel;
    return (permissionsIn(guild, userId, place) & Permission[permission]) !== 0n;
  }
}
