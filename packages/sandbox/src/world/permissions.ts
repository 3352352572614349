import type { Channel, Guild, Overwrite } from './entities.js';

/** Permission bits the sandbox looks at (Discord: Permissions). */
export const Permission = {
  ManageChannels: 1n << 4n,
  Administrator: 1n << 3n,
  AddReactions: 1n << 6n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  MentionEveryone: 1n << 17n,
  ManageRoles: 1n << 28n,
  ManageWebhooks: 1n << 29n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  SendMessagesInThreads: 1n << 38n,
} as const;

export type PermissionName = keyof typeof Permission;

export const permissionBits = (names: readonly PermissionName[]): bigint =>
  names.reduce((bits, name) => bits | Permission[name], 0n);

export const DEFAULT_EVERYONE: readonly PermissionName[] = [
  'AddReactions',
  'ViewChannel',
  'SendMessages',
  'EmbedLinks',
  'AttachFiles',
  'ReadMessageHistory',
  'CreatePublicThreads',
  'SendMessagesInThreads',
];

const ALL = ~0n & ((1n << 53n) - 1n);

/** What a member may do in a channel: roles, then the channel's overwrites, in Discord's own order. */
export const permissionsIn = (guild: Guild, userId: string, channel: Channel | undefined): bigint => {
  if (guild.properties.owner_id === userId) return ALL;
  const member = guild.members.get(userId);
  if (!member) return 0n;
  const roles = [guild.id, ...member.roles];
  const base = roles.reduce((bits, id) => bits | BigInt(guild.roles.get(id)?.permissions ?? 0), 0n);
  if ((base & Permission.Administrator) !== 0n) return ALL;
  const overwrites = channel?.permission_overwrites ?? [];
  const apply = (bits: bigint, chosen: readonly Overwrite[]): bigint =>
    (bits & ~union(chosen, 'deny')) | union(chosen, 'allow');
  const everyone = overwrites.filter((one) => one.id === guild.id);
  const byRole = overwrites.filter((one) => one.type === 0 && one.id !== guild.id && member.roles.includes(one.id));
  const byMember = overwrites.filter((one) => one.type === 1 && one.id === userId);
  return apply(apply(apply(base, everyone), byRole), byMember);
};

const union = (overwrites: readonly Overwrite[], side: 'allow' | 'deny'): bigint =>
  overwrites.reduce((bits, one) => bits | BigInt(one[side]), 0n);
