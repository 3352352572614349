import type { Hono } from 'hono';
import type { Json } from '../world/entities.js';
import { answerCommand, changeAnswer } from '../world/interactions.js';
import type { World } from '../world/world.js';
import { joinedGuild, type RestEnv } from './context.js';
import { alreadyAnswered, unknownInteraction } from './errors.js';
import { checkContent, readJson } from './message-body.js';

/** Which commands a server's people are shown. */
export const commandRoutes = (app: Hono<RestEnv>, world: World): void => {
  app.put('/applications/:application/guilds/:guild/commands', async (c) => {
    const guild = joinedGuild(world, c.get('bot'), c.req.param('guild'));
    const application = c.req.param('application');
    const commands = ((await readJson(c)) as unknown as Json[]).map((command) => ({
      ...command,
      id: world.nextId(),
      application_id: application,
      guild_id: guild.id,
    }));
    world.commands.set(guild.id, commands);
    return c.json(commands);
  });
};

/** Answers to commands: whoever has the command's token may give them. */
export const interactionRoutes = (app: Hono<RestEnv>, world: World): void => {
  app.post('/interactions/:id/:token/callback', async (c) => {
    const interaction = world.interactions.get(c.req.param('token'));
    if (interaction?.id !== c.req.param('id')) throw unknownInteraction();
    const { type, data } = await readJson(c);
    if (!answerCommand(world, interaction, type, (data ?? {}) as Json)) throw alreadyAnswered();
    return c.body(null, 204);
  });
  app.patch('/webhooks/:application/:token/messages/:message', async (c, next) => {
    const interaction = world.interactions.get(c.req.param('token'));
    const isIts = interaction?.applicationId === c.req.param('application') && c.req.param('message') === '@original';
    if (!interaction || !isIts) return next();
    const { content } = await readJson(c);
    return c.json(changeAnswer(world, interaction, checkContent(content)));
  });
};
