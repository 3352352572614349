import type { Hono } from 'hono';
import { react } from '../world/message-ops.js';
import type { World } from '../world/world.js';
import { messageIn, type RestContext, type RestEnv, requirePermission, visibleChannel } from './context.js';
import { maximumReactions, unknownEmoji } from './errors.js';

const MAX_REACTIONS = 20;

/** `👍`, or `name:id` for a custom emoji. @throws DiscordError 10014 */
const parseEmoji = (raw: string): { id: string | null; name: string } => {
  const custom = /^(\w{2,32}):(\d+)$/.exec(raw);
  if (custom) return { id: custom[2] ?? null, name: custom[1] ?? '' };
  if (!/\p{Emoji}/u.test(raw) || /^[\d#*]$/.test(raw)) throw unknownEmoji();
  return { id: null, name: raw };
};

export const reactionRoutes = (app: Hono<RestEnv>, world: World): void => {
  const locate = (c: RestContext) => {
    const channel = visibleChannel(world, c.get('bot'), c.req.param('channel') ?? '');
    requirePermission(world, c.get('bot'), channel, 'ReadMessageHistory');
    const message = messageIn(world, channel, c.req.param('message') ?? '');
    const raw = c.req.param('emoji');
    return { channel, message, emoji: raw === undefined ? undefined : parseEmoji(decodeURIComponent(raw)) };
  };
  const path = '/channels/:channel/messages/:message/reactions';

  app.put(`${path}/:emoji/@me`, (c) => {
    const { channel, message, emoji } = locate(c);
    const existing = world.reactions.get(message.id) ?? [];
    if (emoji && !existing.some((one) => one.emoji.name === emoji.name && one.emoji.id === emoji.id)) {
      requirePermission(world, c.get('bot'), channel, 'AddReactions');
      if (existing.length >= MAX_REACTIONS) throw maximumReactions();
    }
    if (emoji) react(world, channel, message, c.get('bot').user.id, emoji, true);
    return c.body(null, 204);
  });

  const remove = (c: RestContext, userId: string) => {
    const { channel, message, emoji } = locate(c);
    if (userId !== c.get('bot').user.id) requirePermission(world, c.get('bot'), channel, 'ManageMessages');
    if (emoji) react(world, channel, message, userId, emoji, false);
    return c.body(null, 204);
  };
  app.delete(`${path}/:emoji/@me`, (c) => remove(c, c.get('bot').user.id));
  app.delete(`${path}/:emoji/:user`, (c) => remove(c, c.req.param('user')));

  app.get(`${path}/:emoji`, (c) => {
    const { message, emoji } = locate(c);
    const found = world.reactions.get(message.id)?.find((one) => one.emoji.name === emoji?.name);
    return c.json([...(found?.users ?? [])].flatMap((id) => world.users.get(id) ?? []));
  });

  app.delete(path, (c) => {
    const { channel, message } = locate(c);
    requirePermission(world, c.get('bot'), channel, 'ManageMessages');
    world.reactions.delete(message.id);
    world.dispatch({
      t: 'MESSAGE_REACTION_REMOVE_ALL',
      d: { channel_id: channel.id, message_id: message.id, guild_id: channel.guild_id },
      channelId: channel.id,
      ...(channel.guild_id ? { guildId: channel.guild_id } : {}),
    });
    return c.body(null, 204);
  });
};
