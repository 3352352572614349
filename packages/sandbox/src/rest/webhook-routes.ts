import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import { newUser } from '../world/defaults.js';
import type { Json, Webhook } from '../world/entities.js';
import { deleteMessage, editMessage, postMessage } from '../world/message-ops.js';
import type { World } from '../world/world.js';
import { messageIn, type RestContext, type RestEnv, requirePermission, visibleChannel } from './context.js';
import { unknownChannel, unknownMessage, unknownWebhook } from './errors.js';
import { checkContent, readJson, readMessageBody, toNewMessage } from './message-body.js';

const view = (world: World, webhook: Webhook): Json => ({
  id: webhook.id,
  type: 1,
  guild_id: webhook.guildId,
  channel_id: webhook.channelId,
  name: webhook.name,
  avatar: null,
  token: webhook.token,
  application_id: null,
  user: webhook.creator,
  url: `${world.origin}/api/webhooks/${webhook.id}/${webhook.token}`,
});

/** Managing webhooks wants a bot's token; executing one wants only its own. */
export const webhookRoutes = (app: Hono<RestEnv>, world: World): void => {
  app.post('/channels/:channel/webhooks', async (c) => {
    const channel = visibleChannel(world, c.get('bot'), c.req.param('channel'));
    requirePermission(world, c.get('bot'), channel, 'ManageWebhooks');
    const webhook: Webhook = {
      id: world.nextId(),
      token: randomBytes(24).toString('base64url'),
      channelId: channel.id,
      guildId: channel.guild_id ?? '',
      creator: c.get('bot').user,
      name: String((await readJson(c)).name ?? 'webhook'),
    };
    world.webhooks.set(webhook.id, webhook);
    return c.json(view(world, webhook));
  });
  app.get('/channels/:channel/webhooks', (c) => {
    const channel = visibleChannel(world, c.get('bot'), c.req.param('channel'));
    requirePermission(world, c.get('bot'), channel, 'ManageWebhooks');
    return c.json(
      [...world.webhooks.values()].filter((one) => one.channelId === channel.id).map((one) => view(world, one)),
    );
  });
};

export const webhookExecutionRoutes = (app: Hono<RestEnv>, world: World): void => {
  const locate = (c: RestContext) => {
    const webhook = world.webhooks.get(c.req.param('webhook') ?? '');
    if (!webhook || webhook.token !== c.req.param('token')) throw unknownWebhook();
    const channel = world.channels.get(c.req.query('thread_id') ?? webhook.channelId);
    if (!channel) throw unknownChannel();
    return { webhook, channel };
  };
  const own = (c: RestContext) => {
    const { webhook, channel } = locate(c);
    const message = messageIn(world, channel, c.req.param('message') ?? '');
    if (message.webhook_id !== webhook.id) throw unknownMessage();
    return { channel, message };
  };

  app.post('/webhooks/:webhook/:token', async (c) => {
    const { webhook, channel } = locate(c);
    const body = await readMessageBody(c);
    const name = typeof body.payload.username === 'string' ? body.payload.username : webhook.name;
    const author = { ...newUser(webhook.id, name, true), discriminator: '0000' };
    const input = toNewMessage(world, channel, body);
    const message = postMessage(world, { channel, author, webhookId: webhook.id, ...input });
    return c.req.query('wait') === 'true' ? c.json(message) : c.body(null, 204);
  });
  app.patch('/webhooks/:webhook/:token/messages/:message', async (c) => {
    const { channel, message } = own(c);
    const { content } = await readJson(c);
    return c.json(editMessage(world, channel, message, { content: checkContent(content) }));
  });
  app.delete('/webhooks/:webhook/:token/messages/:message', (c) => {
    const { channel, message } = own(c);
    deleteMessage(world, channel, message.id);
    return c.body(null, 204);
  });
};
