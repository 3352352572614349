import type { ChatBridge } from '@mcpl-bridges/chat';
import { type Channel, ChannelType, type Client, type Guild, type GuildBasedChannel } from 'discord.js';
import { mcplChannelId } from '../channel-ids.js';
import { type Filters, passesDmFilter } from '../config/filters.js';
import { guildChannelDescriptor, isReadable } from './descriptor.js';
import type { Places } from './places.js';

export interface RegistrarContext {
  readonly client: Client<true>;
  readonly places: Places;
  /** What the operator lets through now. */
  readonly filters: () => Filters;
  readonly bridge: () => ChatBridge | undefined;
}

/** Keeps what is registered with the host to what the bot can see and the operator lets through. */
export class Registrar {
  constructor(private readonly context: RegistrarContext) {}

  addGuild(guild: Guild): void {
    this.add([...guild.channels.cache.values()]);
  }

  /** To be called before the client forgets the guild's channels. */
  removeGuild(id: string): void {
    this.remove([...(this.context.client.guilds.cache.get(id)?.channels.cache.values() ?? [])]);
  }

  add(channels: readonly GuildBasedChannel[]): void {
    const { bridge, places } = this.context;
    const readable = channels.filter((channel) => isReadable(channel) && places.passes(channel));
    if (readable.length > 0) void bridge()?.addChannels(readable.map(guildChannelDescriptor));
  }

  /** A channel was renamed, moved, or is no longer visible, or the operator has changed his mind. */
  look(channel: Channel): void {
    const { places, filters } = this.context;
    if (channel.isDMBased()) {
      const partner = channel.type === ChannelType.DM ? channel.recipientId : undefined;
      if (!passesDmFilter(filters(), partner)) this.remove([channel]);
    } else if (isReadable(channel) && places.passes(channel)) this.add([channel]);
    else this.remove([channel]);
  }

  /** Looks at all channels of a guild, or at all there are. */
  lookAround(guild?: Guild): void {
    const channels = guild?.channels.cache ?? this.context.client.channels.cache;
    for (const channel of channels.values()) this.look(channel);
  }

  remove(channels: readonly Channel[]): void {
    const { bridge } = this.context;
    const ids = channels.map((one) => mcplChannelId(one.isDMBased() ? undefined : one.guildId, one.id));
    void bridge()?.removeChannels(ids.filter((id) => bridge()?.knowsChannel(id)));
  }

  /** Whether the operator lets something of a server through. */
  passes(guild: Guild): boolean {
    return guild.channels.cache.some((channel) => this.context.places.passes(channel));
  }
}
