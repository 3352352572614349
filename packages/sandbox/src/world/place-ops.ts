import { newDm, newGuild, newGuildChannel, newMember, newRole, newThread } from './defaults.js';
import {
  type Channel,
  ChannelType,
  type Guild,
  isThread,
  type Json,
  type Member,
  type Message,
  type Overwrite,
  type Role,
  type User,
} from './entities.js';
import { guildCreate } from './guild-view.js';
import { type PermissionName, permissionBits } from './permissions.js';
import { joinThread, setVoice } from './presence-ops.js';
import type { World } from './world.js';

export const createGuild = (world: World, name: string, owner: User, members: readonly User[]): Guild => {
  const guild = newGuild(world.nextId(), name, owner.id);
  world.guilds.set(guild.id, guild);
  for (const user of new Set([owner, ...members])) guild.members.set(user.id, newMember(user, world.now()));
  for (const bot of world.bots.values()) if (guild.members.has(bot.user.id)) giveManagedRole(world, guild, bot.user);
  return guild;
};

/** A bot brings a role of its own name that only its integration manages. */
const giveManagedRole = (world: World, guild: Guild, bot: User): void => {
  const role = newRole(world.nextId(), bot.username, 0n, { managed: true, tags: { bot_id: bot.id } });
  guild.roles.set(role.id, role);
  guild.members.get(bot.id)?.roles.push(role.id);
};

export const addMember = (world: World, guild: Guild, user: User): Member => {
  const member = newMember(user, world.now());
  guild.members.set(user.id, member);
  world.dispatch({ t: 'GUILD_MEMBER_ADD', d: { guild_id: guild.id, ...member }, guildId: guild.id });
  if (user.bot)
    world.dispatch({ t: 'GUILD_CREATE', d: guildCreate(world, guild, user.id), guildId: guild.id, to: user.id });
  return member;
};

export const removeMember = (world: World, guild: Guild, user: User): void => {
  setVoice(world, guild, user, undefined);
  guild.members.delete(user.id);
  world.dispatch({ t: 'GUILD_MEMBER_REMOVE', d: { guild_id: guild.id, user }, guildId: guild.id });
  if (user.bot) world.dispatch({ t: 'GUILD_DELETE', d: { id: guild.id }, guildId: guild.id, to: user.id });
};

export const createRole = (world: World, guild: Guild, name: string, allow: readonly PermissionName[]): Role => {
  const role = newRole(world.nextId(), name, permissionBits(allow));
  guild.roles.set(role.id, role);
  world.dispatch({ t: 'GUILD_ROLE_CREATE', d: { guild_id: guild.id, role }, guildId: guild.id });
  return role;
};

/** Gives a role other rights. */
export const updateRole = (world: World, guild: Guild, role: Role, allow: readonly PermissionName[]): void => {
  role.permissions = permissionBits(allow).toString();
  world.dispatch({ t: 'GUILD_ROLE_UPDATE', d: { guild_id: guild.id, role: { ...role } }, guildId: guild.id });
};

export const setRoles = (world: World, guild: Guild, user: User, roles: readonly Role[]): void => {
  const member = guild.members.get(user.id);
  if (!member) throw new Error(`${user.username} is no member of ${guild.properties.name}`);
  member.roles = roles.map(({ id }) => id);
  world.dispatch({ t: 'GUILD_MEMBER_UPDATE', d: { guild_id: guild.id, ...member }, guildId: guild.id });
};

export const renameGuild = (world: World, guild: Guild, name: string): void => {
  guild.properties.name = name;
  const d = { ...guild.properties, roles: [...guild.roles.values()] };
  world.dispatch({ t: 'GUILD_UPDATE', d, guildId: guild.id });
};

export const createChannel = (
  world: World,
  guild: Guild,
  name: string,
  type: number = ChannelType.GuildText,
  parentId: string | null = null,
): Channel => {
  const position = [...world.channels.values()].filter((one) => one.guild_id === guild.id).length;
  const channel = newGuildChannel(world.nextId(), guild.id, name, type, position);
  channel.parent_id = parentId;
  world.channels.set(channel.id, channel);
  announceChannel(world, 'CHANNEL_CREATE', channel);
  return channel;
};

const announceChannel = (world: World, t: string, channel: Channel): void =>
  world.dispatch({ t, d: { ...channel }, guildId: channel.guild_id ?? '', channelId: channel.id });

export const updateChannel = (world: World, channel: Channel, changes: Json): void => {
  Object.assign(channel, changes);
  announceChannel(world, isThread(channel) ? 'THREAD_UPDATE' : 'CHANNEL_UPDATE', channel);
};

/** Allows or denies one account something in a channel; those who lose sight of it are told so all the same. */
export const setOverwrite = (
  world: World,
  channel: Channel,
  target: { id: string; type: 0 | 1 },
  rights: { allow?: readonly PermissionName[]; deny?: readonly PermissionName[] },
): void => {
  const others = (channel.permission_overwrites ?? []).filter((one) => one.id !== target.id);
  const overwrite: Overwrite = {
    ...target,
    allow: permissionBits(rights.allow ?? []).toString(),
    deny: permissionBits(rights.deny ?? []).toString(),
  };
  channel.permission_overwrites = [...others, overwrite];
  world.dispatch({ t: 'CHANNEL_UPDATE', d: { ...channel }, guildId: channel.guild_id ?? '' });
};

export const deleteChannel = (world: World, channel: Channel): void => {
  const thread = isThread(channel);
  if (!thread)
    for (const child of [...world.channels.values()])
      if (isThread(child) && child.parent_id === channel.id) deleteChannel(world, child);
  const d = thread
    ? { id: channel.id, guild_id: channel.guild_id, parent_id: channel.parent_id, type: channel.type }
    : { ...channel };
  world.dispatch({
    t: thread ? 'THREAD_DELETE' : 'CHANNEL_DELETE',
    d,
    guildId: channel.guild_id ?? '',
    channelId: channel.id,
  });
  world.channels.delete(channel.id);
  world.messages.delete(channel.id);
};

/** Starts a thread; from a message, the thread takes that message's id, as Discord has it. */
export const startThread = (
  world: World,
  parent: Channel,
  name: string,
  owner: User,
  from?: Message,
  type?: number,
): Channel => {
  const thread = newThread(from?.id ?? world.nextId(), parent, name, owner.id, world.now());
  if (type !== undefined) thread.type = type;
  world.channels.set(thread.id, thread);
  world.dispatch({
    t: 'THREAD_CREATE',
    d: { ...thread, newly_created: true },
    guildId: thread.guild_id ?? '',
    channelId: thread.id,
  });
  joinThread(world, thread, owner);
  return thread;
};

/** The private channel between these users; made on first use, without a word to the gateway, as Discord does now. */
export const openDm = (world: World, users: readonly User[]): Channel => {
  const wanted = new Set(users.map((one) => one.id));
  const existing = [...world.channels.values()].find(
    (one) => one.recipients?.length === wanted.size && one.recipients.every((user) => wanted.has(user.id)),
  );
  if (existing) return existing;
  const dm = newDm(world.nextId(), [...users]);
  world.channels.set(dm.id, dm);
  return dm;
};

/** A private channel as one account sees it: without itself. */
export const dmView = (dm: Channel, readerId: string): Json => ({
  ...dm,
  recipients: dm.recipients?.filter((one) => one.id !== readerId) ?? [],
});
