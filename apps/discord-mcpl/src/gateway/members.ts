import { type APIGuildMember, ChannelType, type Client, PermissionFlagsBits } from 'discord.js';

interface ListedMember {
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
}

/** Who can read a channel: those it names itself, or those of a server who may. */
export type Readers =
  | { readonly kind: 'direct'; readonly members: readonly ListedMember[] }
  | { readonly kind: 'guild'; readonly guildId: string; readonly mayRead: (member: APIGuildMember) => boolean };

export const readersOf = (client: Client<true>, channelId: string): Readers | undefined => {
  const channel = client.channels.cache.get(channelId);
  if (!channel) return undefined;
  if (channel.isDMBased()) {
    if (channel.type !== ChannelType.DM) return undefined;
    const users = [client.user, channel.recipient].filter((user) => user !== null);
    return {
      kind: 'direct',
      members: users.map((user) => ({ id: user.id, name: user.displayName, isBot: user.bot })),
    };
  }
  // Threads are as readable as the channel that they are in.
  const place = channel.isThread() ? channel.parent : channel;
  const { guild } = channel;
  const mayRead = (member: APIGuildMember): boolean => {
    if (member.user.id === guild.ownerId) return true;
    if (!place) return false;
    let allowed = guild.roles.everyone.permissions.bitfield;
    for (const id of member.roles) allowed |= guild.roles.cache.get(id)?.permissions.bitfield ?? 0n;
    if ((allowed & PermissionFlagsBits.Administrator) !== 0n) return true;
    const overwrites = place.permissionOverwrites.cache;
    const layers = [[guild.id], member.roles, [member.user.id]];
    for (const layer of layers) {
      const found = layer.flatMap((id) => overwrites.get(id) ?? []);
      for (const { deny } of found) allowed &= ~deny.bitfield;
      for (const { allow } of found) allowed |= allow.bitfield;
    }
    return (allowed & PermissionFlagsBits.ViewChannel) !== 0n;
  };
  return { kind: 'guild', guildId: guild.id, mayRead };
};
