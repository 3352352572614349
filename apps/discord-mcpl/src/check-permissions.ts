import {
  type APIGuild,
  type APIGuildChannel,
  type APIGuildMember,
  type APIOverwrite,
  ChannelType,
  PermissionFlagsBits,
  type REST,
  Routes,
} from 'discord.js';
import { type GuildFilter, passesFilter } from './config/guild-filter.js';
import { permissionsIn } from './gateway/permissions.js';

/** What the bridge needs in a channel, as Discord's settings call it. */
const NEEDED: readonly (readonly [name: string, bit: bigint])[] = [
  ['Read Message History', PermissionFlagsBits.ReadMessageHistory],
  ['Send Messages', PermissionFlagsBits.SendMessages],
  ['Add Reactions', PermissionFlagsBits.AddReactions],
  ['Attach Files', PermissionFlagsBits.AttachFiles],
];

const READ: ReadonlySet<number> = new Set([
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
  ChannelType.GuildForum,
  ChannelType.GuildMedia,
]);

type Overwritten = APIGuildChannel & { readonly permission_overwrites?: readonly APIOverwrite[] };

/** What the bot cannot do, a sentence for each channel that the filter lets through and something is missing in. */
export const missingPermissions = async (
  rest: Pick<REST, 'get'>,
  guildIds: readonly string[],
  botId: string,
  filter: GuildFilter,
): Promise<string[]> => {
  const inGuilds = guildIds.map(async (guildId) => {
    const [guild, channels, member] = (await Promise.all([
      rest.get(Routes.guild(guildId)),
      rest.get(Routes.guildChannels(guildId)),
      rest.get(Routes.guildMember(guildId, botId)),
    ])) as [APIGuild, Overwritten[], APIGuildMember];
    const roles = new Map(guild.roles.map(({ id, permissions }) => [id, BigInt(permissions)]));
    return channels
      .filter(({ id, type }) => READ.has(type) && passesFilter(filter, guildId, id))
      .flatMap(({ name, permission_overwrites = [] }) => {
        const bits = permissionsIn({
          guildId,
          isOwner: guild.owner_id === botId,
          memberId: botId,
          memberRoles: member.roles,
          roleBits: (id) => roles.get(id) ?? 0n,
          overwrites: permission_overwrites.map(({ id, allow, deny }) => ({
            id,
            allow: BigInt(allow),
            deny: BigInt(deny),
          })),
        });
        if ((bits & PermissionFlagsBits.ViewChannel) === 0n)
          return [`#${name} (${guild.name}): the bot does not see it (View Channel)`];
        const lacking = NEEDED.filter(([, bit]) => (bits & bit) === 0n).map(([permission]) => permission);
        return lacking.length === 0 ? [] : [`#${name} (${guild.name}): without ${lacking.join(', ')}`];
      });
  });
  return (await Promise.all(inGuilds)).flat();
};
