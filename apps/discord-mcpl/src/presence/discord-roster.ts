import type { Roster } from '@mcpl-bridges/presence';
import {
  type Channel,
  ChannelType,
  type Client,
  type GuildBasedChannel,
  type GuildMember,
  PermissionFlagsBits,
} from 'discord.js';
import { discordChannelId, mcplChannelId } from '../channel-ids.js';
import { DIRECT } from './signals.js';

export interface RosterContext {
  readonly client: Client<true>;
  /** Whether a channel is one of those that hosts are told of. */
  readonly knowsChannel: (channelId: string) => boolean;
  /** Whether all members of a server are known as they are now. */
  readonly isWhole: (guildId: string) => boolean;
  /** Whether it is known who has joined a thread. */
  readonly knowsThread: (threadId: string) => boolean;
}

/** Who may see what in Discord, from the client's caches. */
export class DiscordRoster implements Roster {
  constructor(private readonly context: RosterContext) {}

  get selfId(): string | undefined {
    return this.context.client.user?.id;
  }

  scopeOf(channelId: string): string | undefined {
    const channel = this.channel(channelId);
    if (!channel) return undefined;
    return channel.isDMBased() ? DIRECT : channel.guildId;
  }

  isKnown(channelId: string): boolean {
    const channel = this.channel(channelId);
    if (!channel || channel.isDMBased()) return channel !== undefined;
    const { isWhole, knowsThread } = this.context;
    return isWhole(channel.guildId) && (channel.type !== ChannelType.PrivateThread || knowsThread(channel.id));
  }

  isMember(channelId: string, userId: string): boolean {
    const channel = this.channel(channelId);
    if (!channel || !this.isKnown(channelId)) return false;
    if (channel.isDMBased())
      return channel.type === ChannelType.DM && [channel.recipientId, this.selfId].includes(userId);
    const member = channel.guild.members.cache.get(userId);
    return member !== undefined && mayView(channel, member);
  }

  nameOf(channelId: string, userId: string): string | undefined {
    const channel = this.channel(channelId);
    const member = channel && !channel.isDMBased() ? channel.guild.members.cache.get(userId) : undefined;
    return (member ?? this.context.client.users.cache.get(userId))?.displayName;
  }

  *channels(scope?: string): Iterable<string> {
    const { client, knowsChannel } = this.context;
    for (const channel of client.channels.cache.values()) {
      const guildId = channel.isDMBased() ? undefined : channel.guildId;
      const id = mcplChannelId(guildId, channel.id);
      if ((scope === undefined || scope === (guildId ?? DIRECT)) && knowsChannel(id)) yield id;
    }
  }

  private channel(channelId: string): Channel | undefined {
    const { client, knowsChannel } = this.context;
    return knowsChannel(channelId) ? client.channels.cache.get(discordChannelId(channelId)) : undefined;
  }
}

/** A private thread is for those who were added to it, whatever their roles let them see around it. */
const mayView = (channel: GuildBasedChannel, member: GuildMember): boolean => {
  const may = channel.permissionsFor(member);
  if (!may?.has(PermissionFlagsBits.ViewChannel)) return false;
  if (channel.type !== ChannelType.PrivateThread) return true;
  return channel.members.cache.has(member.id) || may.has(PermissionFlagsBits.ManageThreads);
};
