import type { Hono } from 'hono';
import { type Channel, ChannelType, isPrivate, isThread, type Json } from '../world/entities.js';
import { postMessage } from '../world/message-ops.js';
import { Permission, permissionsIn } from '../world/permissions.js';
import {
  createChannel,
  createRole,
  deleteChannel,
  dmView,
  openDm,
  startThread,
  updateChannel,
} from '../world/place-ops.js';
import { joinThread, threadMember } from '../world/presence-ops.js';
import type { World } from '../world/world.js';
import {
  joinedGuild,
  messageIn,
  type RestContext,
  type RestEnv,
  requirePermission,
  visibleChannel,
} from './context.js';
import { invalidForm, missingPermissions, unknownMember, unknownUser } from './errors.js';
import { readJson, readMessageBody, toNewMessage } from './message-body.js';

const nameOf = (body: Json, max: number): string => {
  const { name } = body;
  if (typeof name !== 'string' || name.length < 1 || name.length > max)
    throw invalidForm('name', 'BASE_TYPE_BAD_LENGTH', `Must be between 1 and ${max} in length.`);
  return name;
};

/** Users, guilds, channels and threads. */
export const placeRoutes = (app: Hono<RestEnv>, world: World): void => {
  const channelOf = (c: RestContext): Channel => visibleChannel(world, c.get('bot'), c.req.param('channel') ?? '');

  const account = (c: RestContext): Json => ({
    ...c.get('bot').user,
    mfa_enabled: false,
    locale: 'en-US',
    verified: true,
    email: null,
    premium_type: 0,
  });
  app.get('/users/@me', (c) => c.json(account(c)));
  app.patch('/users/@me', async (c) => c.json(Object.assign(c.get('bot').user, await readJson(c))));
  app.get('/users/@me/guilds', (c) =>
    c.json(
      [...world.guilds.values()]
        .filter((guild) => guild.members.has(c.get('bot').user.id))
        .map(({ properties: { id, name, owner_id } }) => ({
          id,
          name,
          icon: null,
          banner: null,
          owner: owner_id === c.get('bot').user.id,
          permissions: '0',
          features: [],
        })),
    ),
  );
  app.post('/users/@me/channels', async (c) => {
    const { recipient_id } = await readJson(c);
    const user = world.users.get(String(recipient_id));
    if (!user) throw unknownUser();
    const dm = openDm(world, [c.get('bot').user, user]);
    return c.json(dmView(dm, c.get('bot').user.id));
  });
  app.get('/users/:user', (c) => {
    const user = world.users.get(c.req.param('user'));
    if (!user) throw unknownUser();
    return c.json(user);
  });

  const application = (c: RestContext): Json => ({
    id: c.get('bot').user.id,
    name: c.get('bot').user.username,
    icon: null,
    description: '',
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    flags: applicationFlags(c),
    team: null,
    owner: c.get('bot').user,
    bot: c.get('bot').user,
  });
  app.get('/applications/@me', (c) => c.json(application(c)));
  app.get('/oauth2/applications/@me', (c) => c.json(application(c)));

  const guildOf = (c: RestContext) => joinedGuild(world, c.get('bot'), c.req.param('guild') ?? '');
  app.get('/guilds/:guild', (c) => {
    const guild = guildOf(c);
    return c.json({ ...guild.properties, roles: [...guild.roles.values()] });
  });
  app.get('/guilds/:guild/roles', (c) => c.json([...guildOf(c).roles.values()]));
  app.post('/guilds/:guild/roles', async (c) => {
    const guild = guildOf(c);
    if ((permissionsIn(guild, c.get('bot').user.id, undefined) & Permission.ManageRoles) === 0n)
      throw missingPermissions();
    const { name = 'new role', mentionable = false } = await readJson(c);
    const role = createRole(world, guild, String(name), []);
    return c.json(Object.assign(role, { mentionable }));
  });
  app.get('/guilds/:guild/emojis', (c) => c.json(guildOf(c).properties.emojis as Json[]));
  app.get('/guilds/:guild/members', (c) => {
    const limit = Number(c.req.query('limit') ?? 1);
    const after = BigInt(c.req.query('after') ?? 0);
    const members = [...guildOf(c).members.values()].filter((one) => BigInt(one.user.id) > after);
    return c.json(members.slice(0, limit));
  });
  app.get('/guilds/:guild/members/:user', (c) => {
    const member = guildOf(c).members.get(c.req.param('user'));
    if (!member) throw unknownMember();
    return c.json(member);
  });
  app.get('/guilds/:guild/channels', (c) => {
    const guild = guildOf(c);
    return c.json([...world.channels.values()].filter((one) => one.guild_id === guild.id && !isThread(one)));
  });
  app.get('/guilds/:guild/threads/active', (c) => {
    const guild = guildOf(c);
    const threads = [...world.channels.values()].filter(
      (one) => one.guild_id === guild.id && isThread(one) && !one.thread_metadata?.archived,
    );
    return c.json({ threads, members: [] });
  });
  app.post('/guilds/:guild/channels', async (c) => {
    const guild = guildOf(c);
    if ((permissionsIn(guild, c.get('bot').user.id, undefined) & Permission.ManageChannels) === 0n)
      throw missingPermissions();
    const body = await readJson(c);
    const type = typeof body.type === 'number' ? body.type : ChannelType.GuildText;
    return c.json(createChannel(world, guild, nameOf(body, 100), type, (body.parent_id as string) ?? null), 201);
  });

  app.get('/channels/:channel', (c) => {
    const channel = channelOf(c);
    return c.json(isPrivate(channel) ? dmView(channel, c.get('bot').user.id) : channel);
  });
  app.patch('/channels/:channel', async (c) => {
    const channel = channelOf(c);
    requirePermission(world, c.get('bot'), channel, isThread(channel) ? 'ManageThreads' : 'ManageChannels');
    const { archived, locked, ...changes } = await readJson(c);
    if (isThread(channel) && channel.thread_metadata) {
      if (typeof archived === 'boolean') channel.thread_metadata.archived = archived;
      if (typeof locked === 'boolean') channel.thread_metadata.locked = locked;
    }
    updateChannel(world, channel, changes);
    return c.json(channel);
  });
  app.delete('/channels/:channel', (c) => {
    const channel = channelOf(c);
    requirePermission(world, c.get('bot'), channel, isThread(channel) ? 'ManageThreads' : 'ManageChannels');
    deleteChannel(world, channel);
    return c.json(channel);
  });

  app.post('/channels/:channel/messages/:message/threads', async (c) => {
    const parent = channelOf(c);
    requirePermission(world, c.get('bot'), parent, 'CreatePublicThreads');
    const from = messageIn(world, parent, c.req.param('message'));
    return c.json(startThread(world, parent, nameOf(await readJson(c), 100), c.get('bot').user, from), 201);
  });
  app.post('/channels/:channel/threads', async (c) => {
    const parent = channelOf(c);
    requirePermission(world, c.get('bot'), parent, 'CreatePublicThreads');
    const body = await readMessageBody(c);
    const thread = startThread(world, parent, nameOf(body.payload, 100), c.get('bot').user);
    const first = body.payload.message as Json | undefined;
    if (!first) return c.json(thread, 201);
    const input = toNewMessage(world, thread, { payload: first, files: body.files });
    return c.json(
      { ...thread, message: postMessage(world, { channel: thread, author: c.get('bot').user, ...input }) },
      201,
    );
  });
  app.get('/channels/:channel/threads/archived/public', (c) => {
    const parent = channelOf(c);
    const threads = [...world.channels.values()].filter(
      (one) => one.parent_id === parent.id && isThread(one) && one.thread_metadata?.archived,
    );
    return c.json({ threads, members: [], has_more: false });
  });
  app.put('/channels/:channel/thread-members/@me', (c) => {
    joinThread(world, channelOf(c), c.get('bot').user);
    return c.body(null, 204);
  });
  app.get('/channels/:channel/thread-members', (c) => {
    const thread = channelOf(c);
    return c.json([...(world.threadMembers.get(thread.id) ?? [])].map((id) => threadMember(world, thread, id)));
  });
};

/** Which privileged intents the owner has switched on, as a bot with few guilds shows it (Discord: Application Flags). */
const applicationFlags = (c: RestContext): number => {
  const { presences, guildMembers, messageContent } = c.get('bot').privileged;
  return (presences ? 1 << 13 : 0) | (guildMembers ? 1 << 15 : 0) | (messageContent ? 1 << 19 : 0);
};
