import { PermissionFlagsBits } from 'discord.js';

/** What decides what a member may do in a channel. */
export interface Standing {
  readonly guildId: string;
  readonly isOwner: boolean;
  readonly memberId: string;
  readonly memberRoles: readonly string[];
  /** What a role, or everyone under the guild's own id, may do in the guild. */
  readonly roleBits: (roleId: string) => bigint;
  readonly overwrites: readonly { readonly id: string; readonly allow: bigint; readonly deny: bigint }[];
}

const ALL = Object.values(PermissionFlagsBits).reduce((all, one) => all | one, 0n);

/** What a member may do in a channel, as bits: roles, then the channel's overwrites in Discord's order. */
export const permissionsIn = (standing: Standing): bigint => {
  const { guildId, isOwner, memberId, memberRoles, roleBits, overwrites } = standing;
  if (isOwner) return ALL;
  let bits = [guildId, ...memberRoles].reduce((all, id) => all | roleBits(id), 0n);
  if ((bits & PermissionFlagsBits.Administrator) !== 0n) return ALL;
  for (const layer of [[guildId], memberRoles.filter((id) => id !== guildId), [memberId]]) {
    const found = overwrites.filter(({ id }) => layer.includes(id));
    for (const { deny } of found) bits &= ~deny;
    for (const { allow } of found) bits |= allow;
  }
  return bits;
};
