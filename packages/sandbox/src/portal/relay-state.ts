import type { AddressReason, Capability, PortalMessage } from '@mcpl-bridges/portal-client';
import { type Channel, type Guild, isThread, type Message, type Webhook } from '../world/entities.js';
import { createRole } from '../world/place-ops.js';
import type { World } from '../world/world.js';
import { Personas, type RelayPersona } from './personas.js';
import { ReadState } from './read-state.js';
import { containerOf, portalMessage, type RelayMemory } from './relay-messages.js';
import { RelaySessions } from './sessions.js';

/** Relays as they are public: protocol 3, and the later protocol 4. */
export type RelayVariant = 'M' | 'N';

/** What a relay is made of: its bot's view of a local Discord, and its personas. */
export class RelayState implements RelayMemory {
  readonly personas = new Personas();
  readonly sessions = new RelaySessions();
  readonly readState = new ReadState();
  /** Messages that the relay has seen; others go by Discord's id alone. */
  private readonly seen = new Set<string>();
  /** Whether Discord's echo of a post comes before the relay knows whose it is, for once. */
  echoesFirst = false;
  private posting: RelayPersona | undefined;
  private isSilent = false;
  private readonly authors = new Map<string, RelayPersona>();
  private readonly roles = new Map<string, string>();

  constructor(
    readonly world: World,
    /** The account of the relay's bot. */
    readonly botId: string,
    readonly variant: RelayVariant,
  ) {}

  authorOf(messageId: string): RelayPersona | undefined {
    return this.authors.get(messageId);
  }

  /** Posts under a persona's name. */
  postAs(persona: RelayPersona, post: () => Message): Message {
    this.posting = persona;
    const message = post();
    this.posting = undefined;
    this.echoesFirst = false;
    this.authors.set(message.id, persona);
    return message;
  }

  /** Does what is announced to nobody. */
  silently(act: () => void): void {
    this.isSilent = true;
    act();
    this.isSilent = false;
  }

  /** Discord says something; whether anybody is to hear of it. */
  hears(t: string, messageId: unknown): boolean {
    if (this.isSilent) return false;
    if (t === 'MESSAGE_CREATE' && this.posting && !this.echoesFirst) this.authors.set(String(messageId), this.posting);
    return true;
  }

  /** What the relay posts by in a channel; threads are posted to by their parent's. */
  webhookIn(channel: Channel): string {
    const channelId = isThread(channel) && channel.parent_id ? channel.parent_id : channel.id;
    const isIts = (one: Webhook): boolean => one.channelId === channelId && one.creator.id === this.botId;
    const found = [...this.world.webhooks.values()].find(isIts);
    if (found) return found.id;
    const creator = this.world.users.get(this.botId);
    if (!creator) throw new Error('the relay has no bot');
    const guildId = channel.guild_id ?? '';
    const webhook = { id: this.world.nextId(), token: '', channelId, guildId, name: 'portal', creator };
    this.world.webhooks.set(webhook.id, webhook);
    return webhook.id;
  }

  personaOfRole(roleId: string): string | undefined {
    return this.roles.get(roleId);
  }

  /** The role that mentions a persona in a guild; made on first use. */
  roleOf(persona: RelayPersona, guild: Guild): string {
    for (const [roleId, id] of this.roles) if (id === persona.id && guild.roles.has(roleId)) return roleId;
    const { id } = createRole(this.world, guild, `portal-${persona.name}`, []);
    this.roles.set(id, persona.id);
    return id;
  }

  hasSeen(messageId: string): boolean {
    return this.seen.has(messageId);
  }

  message(message: Message): PortalMessage {
    this.seen.add(message.id);
    return portalMessage(this.world, message, this);
  }

  /** What `ready` lists for a persona: everything there is, or later only what it may see. */
  directory(persona: RelayPersona): Channel[] {
    const all = this.channels();
    return this.variant === 'M' ? all : all.filter(({ id }) => this.capabilities(persona, id).length > 0);
  }

  guilds(): Guild[] {
    return [...this.world.guilds.values()].filter(({ members }) => members.has(this.botId));
  }

  channels(guildId?: string): Channel[] {
    const ids = new Set(this.guilds().map(({ id }) => id));
    return [...this.world.channels.values()].filter(
      ({ guild_id }) => guild_id !== undefined && ids.has(guild_id) && (guildId === undefined || guild_id === guildId),
    );
  }

  /** What a persona may do in a channel: nothing where the bot does not see it. Threads are as their parents. */
  capabilities(persona: RelayPersona, channelId: string): readonly Capability[] {
    const channel = this.world.channels.get(channelId);
    if (!channel || !this.world.can(this.botId, 'ViewChannel', channel)) return [];
    const { channelId: parent } = containerOf(this.world, channelId);
    return persona.byChannel.get(channelId) ?? persona.byChannel.get(parent) ?? persona.everywhere;
  }

  /** Why a message is meant for a persona. */
  reasons(message: PortalMessage, personaId: string): AddressReason[] {
    const replied = message.replyToId?.split('_').at(-1);
    return [
      ...(message.mentions.personas.includes(personaId) ? (['role_mention'] as const) : []),
      ...(replied !== undefined && this.authors.get(replied)?.id === personaId ? (['reply'] as const) : []),
    ];
  }
}
