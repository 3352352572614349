import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { type Bot, type Channel, type Guild, isPrivate, isThread, type Message } from '../world/entities.js';
import type { PermissionName } from '../world/permissions.js';
import type { World } from '../world/world.js';
import { missingAccess, missingPermissions, unknownChannel, unknownGuild, unknownMessage } from './errors.js';

export interface RestEnv {
  Bindings: HttpBindings;
  Variables: { bot: Bot };
}

export type RestContext = Context<RestEnv>;

/** The channel of a path, if the caller can see it. @throws DiscordError 10003 or 50001 */
export const visibleChannel = (world: World, bot: Bot, id: string): Channel => {
  const channel = world.channels.get(id);
  if (!channel) throw unknownChannel();
  if (!world.can(bot.user.id, 'ViewChannel', channel)) throw missingAccess();
  return channel;
};

/** @throws DiscordError 50013 unless the caller has `permission` there; private channels ask for none */
export const requirePermission = (world: World, bot: Bot, channel: Channel, permission: PermissionName): void => {
  if (isPrivate(channel)) return;
  if (!world.can(bot.user.id, permission, channel)) throw missingPermissions();
};

export const requireSend = (world: World, bot: Bot, channel: Channel): void =>
  requirePermission(world, bot, channel, isThread(channel) ? 'SendMessagesInThreads' : 'SendMessages');

export const joinedGuild = (world: World, bot: Bot, id: string): Guild => {
  const guild = world.guilds.get(id);
  if (!guild?.members.has(bot.user.id)) throw unknownGuild();
  return guild;
};

export const messageIn = (world: World, channel: Channel, id: string): Message => {
  const message = world.messagesOf(channel.id).get(id);
  if (!message) throw unknownMessage();
  return message;
};
