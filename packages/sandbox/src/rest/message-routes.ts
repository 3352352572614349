import type { Hono } from 'hono';
import { type Bot, type Channel, isPrivate, isThread, type Message } from '../world/entities.js';
import {
  bulkDelete,
  deleteMessage,
  editMessage,
  messageView,
  pinMessage,
  postMessage,
  startTyping,
} from '../world/message-ops.js';
import { snowflakeTime } from '../world/snowflake.js';
import type { World } from '../world/world.js';
import {
  joinedGuild,
  messageIn,
  type RestContext,
  type RestEnv,
  requirePermission,
  requireSend,
  visibleChannel,
} from './context.js';
import {
  archivedThread,
  closedDms,
  invalidForm,
  maximumPins,
  missingPermissions,
  notYourMessage,
  tooOldToBulkDelete,
} from './errors.js';
import { checkContent, readJson, readMessageBody, storeFiles, toNewMessage } from './message-body.js';

const TWO_WEEKS_MS = 14 * 24 * 3_600_000;

const byId = (a: Message, b: Message): number => (BigInt(a.id) < BigInt(b.id) ? 1 : -1);

/** A page of messages, newest first, as `before`, `after` and `around` choose it. */
const page = (all: readonly Message[], query: (name: string) => string | undefined): Message[] => {
  const limit = Math.min(100, Math.max(1, Number(query('limit') ?? 50)));
  const newest = [...all].sort(byId);
  const before = query('before');
  const after = query('after');
  const around = query('around');
  if (before) return newest.filter((one) => BigInt(one.id) < BigInt(before)).slice(0, limit);
  if (after) return newest.filter((one) => BigInt(one.id) > BigInt(after)).slice(-limit);
  if (!around) return newest.slice(0, limit);
  const half = Math.floor(limit / 2);
  const newer = newest.filter((one) => BigInt(one.id) > BigInt(around)).slice(-half);
  const older = newest.filter((one) => BigInt(one.id) <= BigInt(around)).slice(0, limit - newer.length);
  return [...newer, ...older];
};

const requireOpen = (world: World, bot: Bot, channel: Channel): void => {
  if (isPrivate(channel)) {
    if (channel.recipients?.some((one) => one.id !== bot.user.id && world.closedToDms.has(one.id))) throw closedDms();
  } else if (isThread(channel) && channel.thread_metadata?.locked) throw archivedThread();
};

/** With `enforce_nonce`, a second post with the same nonce gives the first one's message. */
const alreadyPosted = (
  world: World,
  bot: Bot,
  channel: Channel,
  payload: Record<string, unknown>,
): Message | undefined =>
  payload.enforce_nonce === true && payload.nonce !== undefined
    ? [...world.messagesOf(channel.id).values()].findLast(
        (one) => one.author.id === bot.user.id && String(one.nonce) === String(payload.nonce),
      )
    : undefined;

export const messageRoutes = (app: Hono<RestEnv>, world: World): void => {
  const channelOf = (c: RestContext): Channel => visibleChannel(world, c.get('bot'), c.req.param('channel') ?? '');
  const readable = (c: RestContext): Channel => {
    const channel = channelOf(c);
    requirePermission(world, c.get('bot'), channel, 'ReadMessageHistory');
    return channel;
  };
  const view = (c: RestContext, message: Message): Record<string, unknown> => ({
    ...messageView(world, message, c.get('bot').user.id),
    // Whoever asks for a message gets links that last.
    attachments: message.attachments.map((file) => {
      const url = world.linkTo(`${message.channel_id}/${file.id}/${file.filename}`);
      return { ...file, url, proxy_url: url };
    }),
  });

  app.get('/guilds/:guild/messages/search', (c) => {
    const guild = joinedGuild(world, c.get('bot'), c.req.param('guild'));
    const wanted = (c.req.query('content') ?? '').toLowerCase();
    const [channels, authors] = [c.req.queries('channel_id'), c.req.queries('author_id')];
    const found = [...world.channels.values()]
      .filter(({ id, guild_id }) => guild_id === guild.id && (channels?.includes(id) ?? true))
      .filter((channel) => world.can(c.get('bot').user.id, 'ViewChannel', channel))
      .flatMap(({ id }) => [...world.messagesOf(id).values()])
      .filter(({ author, content }) => content.toLowerCase().includes(wanted) && (authors?.includes(author.id) ?? true))
      .sort(byId);
    const messages = found.slice(0, Number(c.req.query('limit') ?? 25)).map((message) => [view(c, message)]);
    return c.json({ doing_deep_historical_index: false, total_results: found.length, messages });
  });

  app.get('/channels/:channel/messages', (c) => {
    const all = [...world.messagesOf(readable(c).id).values()];
    return c.json(page(all, (name) => c.req.query(name)).map((message) => view(c, message)));
  });

  const pins = (c: RestContext): Message[] =>
    [...world.messagesOf(readable(c).id).values()].filter((one) => one.pinned).sort(byId);
  app.get('/channels/:channel/pins', (c) => c.json(pins(c).map((message) => view(c, message))));
  app.get('/channels/:channel/messages/pins', (c) =>
    c.json({
      items: pins(c).map((message) => ({ pinned_at: message.timestamp, message: view(c, message) })),
      has_more: false,
    }),
  );

  app.get('/channels/:channel/messages/:message', (c) =>
    c.json(view(c, messageIn(world, readable(c), c.req.param('message')))),
  );

  app.post('/channels/:channel/messages', async (c) => {
    const channel = channelOf(c);
    const bot = c.get('bot');
    requireSend(world, bot, channel);
    requireOpen(world, bot, channel);
    const body = await readMessageBody(c);
    const existing = alreadyPosted(world, bot, channel, body.payload);
    if (existing) return c.json(view(c, existing));
    const message = postMessage(world, { channel, author: bot.user, ...toNewMessage(world, channel, body) });
    return c.json(view(c, message));
  });

  app.patch('/channels/:channel/messages/:message', async (c) => {
    const channel = channelOf(c);
    const message = messageIn(world, channel, c.req.param('message'));
    if (message.author.id !== c.get('bot').user.id) throw notYourMessage();
    const body = await readMessageBody(c);
    const { content, embeds, flags } = body.payload;
    const files = storeFiles(world, channel, body);
    editMessage(world, channel, message, {
      ...(content === undefined ? {} : { content: checkContent(content) }),
      ...(Array.isArray(embeds) ? { embeds } : {}),
      ...(typeof flags === 'number' ? { flags } : {}),
      ...(files.length > 0 ? { attachments: [...message.attachments, ...files] } : {}),
    });
    return c.json(view(c, message));
  });

  app.delete('/channels/:channel/messages/:message', (c) => {
    const channel = channelOf(c);
    const message = messageIn(world, channel, c.req.param('message'));
    if (message.author.id !== c.get('bot').user.id) {
      if (isPrivate(channel)) throw missingPermissions();
      requirePermission(world, c.get('bot'), channel, 'ManageMessages');
    }
    deleteMessage(world, channel, message.id);
    return c.body(null, 204);
  });

  app.post('/channels/:channel/messages/bulk-delete', async (c) => {
    const channel = channelOf(c);
    requirePermission(world, c.get('bot'), channel, 'ManageMessages');
    const { messages } = await readJson(c);
    if (!Array.isArray(messages) || messages.length < 2 || messages.length > 100)
      throw invalidForm('messages', 'BASE_TYPE_BAD_LENGTH', 'Must be between 2 and 100 in length.');
    const ids = messages as string[];
    if (ids.some((id) => Date.parse(world.now()) - snowflakeTime(id) > TWO_WEEKS_MS)) throw tooOldToBulkDelete();
    bulkDelete(world, channel, ids);
    return c.body(null, 204);
  });

  app.post('/channels/:channel/typing', (c) => {
    const channel = channelOf(c);
    requireSend(world, c.get('bot'), channel);
    startTyping(world, channel, c.get('bot').user.id);
    return c.body(null, 204);
  });

  const setPin = (pinned: boolean) => (c: RestContext) => {
    const channel = channelOf(c);
    requirePermission(world, c.get('bot'), channel, 'ManageMessages');
    const message = messageIn(world, channel, c.req.param('message') ?? '');
    if (pinned && pins(c).length >= 50) throw maximumPins();
    pinMessage(world, channel, message, pinned);
    return c.body(null, 204);
  };
  for (const path of ['/channels/:channel/pins/:message', '/channels/:channel/messages/pins/:message']) {
    app.put(path, setPin(true));
    app.delete(path, setPin(false));
  }
};
