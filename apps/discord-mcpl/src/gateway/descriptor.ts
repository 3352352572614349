import type { ChannelDescriptor } from '@mcpl-bridges/protocol';
import { ChannelType, type DMChannel, type GuildBasedChannel, PermissionFlagsBits } from 'discord.js';
import { mcplChannelId } from '../channel-ids.js';

const SHARED = {
  type: 'discord',
  direction: 'bidirectional',
  capabilities: {
    acknowledgment: { kind: 'reaction', supportsValue: true },
    publish: { target: 'root' },
    history: { supportsBeforeMessage: true },
  },
} as const;

const TEXT_TYPES: ReadonlySet<ChannelType> = new Set([
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.AnnouncementThread,
]);

/** Is this a place of a guild where the bot can read messages? */
export const isReadable = (channel: GuildBasedChannel): boolean =>
  TEXT_TYPES.has(channel.type) &&
  (channel.guild.members.me === null ||
    (channel.permissionsFor(channel.guild.members.me)?.has(PermissionFlagsBits.ViewChannel) ?? false));

/** `#name (Guild)`, or `#parent › thread (Guild)`. */
export const guildChannelDescriptor = (channel: GuildBasedChannel): ChannelDescriptor => {
  const parent = channel.isThread() ? channel.parent?.name : undefined;
  const name = parent === undefined ? `#${channel.name}` : `#${parent} › ${channel.name}`;
  return {
    ...SHARED,
    id: mcplChannelId(channel.guildId, channel.id),
    label: `${name} (${channel.guild.name})`,
    address: { guildId: channel.guildId, channelId: channel.id },
    metadata: { channelType: ChannelType[channel.type], parentId: channel.parentId },
  };
};

export const dmDescriptor = (
  channel: Pick<DMChannel, 'id'>,
  recipient: { id: string; name: string },
): ChannelDescriptor => ({
  ...SHARED,
  id: mcplChannelId(undefined, channel.id),
  label: `DM: ${recipient.name}`,
  address: { guildId: 'dm', channelId: channel.id },
  metadata: { channelType: 'dm', recipientId: recipient.id, recipientName: recipient.name },
});
