import { type APIGuildMember, ChannelType, type Client, PermissionFlagsBits } from 'discord.js';
import { permissionsIn } from './permissions.js';

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
  const overwrites = [...(place?.permissionOverwrites.cache.values() ?? [])].map(({ id, allow, deny }) => ({
    id,
    allow: allow.bitfield,
    deny: deny.bitfield,
  }));
  const mayRead = (member: APIGuildMember): boolean => {
    const bits = permissionsIn({
      guildId: guild.id,
      isOwner: member.user.id === guild.ownerId,
      memberId: member.user.id,
      memberRoles: member.roles,
      roleBits: (id) => guild.roles.cache.get(id)?.permissions.bitfield ?? 0n,
      overwrites,
    });
    return place !== null && (bits & PermissionFlagsBits.ViewChannel) !== 0n;
  };
  return { kind: 'guild', guildId: guild.id, mayRead };
};
