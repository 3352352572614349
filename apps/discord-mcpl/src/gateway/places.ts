import type { ChatBridge } from '@mcpl-bridges/chat';
import type { Log } from '@mcpl-bridges/producer';
import { type Channel, ChannelType, type Client, type GuildBasedChannel } from 'discord.js';
import { mcplChannelId } from '../channel-ids.js';
import { type Filters, passesDmFilter } from '../config/filters.js';
import { passesFilter } from '../config/guild-filter.js';
import { dmDescriptor, guildChannelDescriptor } from './descriptor.js';
import type { Place } from './normalise.js';

export interface PlacesContext {
  readonly client: Client<true>;
  /** What the operator lets through now. */
  readonly filters: () => Filters;
  readonly log: Log;
  readonly bridge: () => ChatBridge | undefined;
}

/** Where things happen: channels by Discord's id, looked up where they are not known, and left out where they are filtered. */
export class Places {
  constructor(private readonly context: PlacesContext) {}

  /** Where a packet comes from; registers places that nobody has announced yet. `undefined` where it is filtered out. */
  async find(
    channelId: string,
    guildId: string | undefined,
    author: { id: string; name: string } | undefined,
  ): Promise<Place | undefined> {
    const channel = this.context.client.channels.cache.get(channelId) ?? (await this.fetchChannel(channelId));
    const guild = guildId ?? (channel && !channel.isDMBased() ? channel.guildId : undefined);
    if (channel && !channel.isDMBased()) return this.guildPlace(channel);
    if (guild !== undefined) return this.unseenPlace(channelId, guild);
    const id = mcplChannelId(undefined, channelId);
    const recipient = channel?.type === ChannelType.DM ? channel.recipient : null;
    const party = recipient ? { id: recipient.id, name: recipient.displayName } : author;
    if (!passesDmFilter(this.context.filters(), party?.id)) return undefined;
    if (!this.context.bridge()?.knowsChannel(id) && party && party.id !== this.context.client.user.id)
      await this.context.bridge()?.addPrivateChannel(channelId, dmDescriptor({ id: channelId }, party));
    const name = party?.name ?? 'direct message';
    return { channelId: id, guildId: undefined, guildName: undefined, channelName: name, isThread: false };
  }

  private async fetchChannel(id: string): Promise<Channel | undefined> {
    try {
      return (await this.context.client.channels.fetch(id)) ?? undefined;
    } catch (error) {
      this.context.log.debug({ channelId: id, reason: (error as Error).message }, 'a channel could not be looked up');
      return undefined;
    }
  }

  private async guildPlace(channel: GuildBasedChannel): Promise<Place | undefined> {
    if (!this.passes(channel)) return undefined;
    const descriptor = guildChannelDescriptor(channel);
    if (!this.context.bridge()?.knowsChannel(descriptor.id)) await this.context.bridge()?.addChannels([descriptor]);
    return {
      channelId: descriptor.id,
      guildId: channel.guildId,
      guildName: channel.guild.name,
      channelName: channel.name,
      isThread: channel.isThread(),
    };
  }

  /** A place whose look-up failed, because it is gone or hidden: still enough to take a deletion to its subject. */
  private unseenPlace(channelId: string, guildId: string): Place | undefined {
    const id = mcplChannelId(guildId, channelId);
    if (!this.context.bridge()?.knowsChannel(id)) {
      this.context.log.warn({ channelId: id }, 'an event came from a channel that cannot be looked up; it is left out');
      return undefined;
    }
    return { channelId: id, guildId, guildName: undefined, channelName: channelId, isThread: false };
  }

  passes(channel: GuildBasedChannel): boolean {
    const place = channel.isThread() ? (channel.parentId ?? channel.id) : channel.id;
    return passesFilter(this.context.filters().guilds, channel.guildId, place);
  }
}
