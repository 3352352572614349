import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import {
  addMember,
  ChannelType,
  createChannel,
  createGuild,
  createRole,
  pinMessage,
  react,
  Sandbox,
  setPresence,
  setVoice,
  startTyping,
} from './index.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const words = (text: string): string[] => text.trim().split(/\s+/);

/** The members that Discord's API reference lists without a question mark, per object. */
const DOCUMENTED = {
  message: words(`id channel_id author content timestamp edited_timestamp tts mention_everyone mentions mention_roles
    attachments embeds pinned type`),
  attachment: words('id filename size url proxy_url'),
  user: words('id username discriminator global_name avatar'),
  guild: words(`id name icon splash discovery_splash owner_id afk_channel_id afk_timeout verification_level
    default_message_notifications explicit_content_filter roles emojis features mfa_level application_id
    system_channel_id system_channel_flags rules_channel_id vanity_url_code description banner premium_tier
    preferred_locale public_updates_channel_id nsfw_level premium_progress_bar_enabled safety_alerts_channel_id
    incidents_data`),
  channel: words('id type last_message_id guild_id position permission_overwrites name topic nsfw parent_id flags'),
  thread: words(
    'id type guild_id parent_id owner_id name message_count member_count thread_metadata total_message_sent',
  ),
  threadMetadata: words('archived auto_archive_duration archive_timestamp locked'),
  member: words('user roles joined_at deaf mute flags'),
  role: words('id name color colors hoist position permissions managed mentionable flags'),
  webhook: words('id type channel_id name avatar application_id user token url'),
  gatewayBot: words('url shards session_start_limit'),
  READY: words('v user guilds session_id resume_gateway_url application shard'),
  GUILD_CREATE: words(`joined_at large unavailable member_count voice_states members channels threads presences
    stage_instances guild_scheduled_events soundboard_sounds`),
  MESSAGE_CREATE: words('guild_id member mentions channel_type'),
  MESSAGE_DELETE: words('id channel_id guild_id'),
  MESSAGE_DELETE_BULK: words('ids channel_id guild_id'),
  MESSAGE_REACTION_ADD: words('user_id channel_id message_id guild_id member emoji message_author_id burst type'),
  MESSAGE_REACTION_REMOVE: words('user_id channel_id message_id guild_id emoji burst type'),
  TYPING_START: words('channel_id guild_id user_id timestamp member'),
  PRESENCE_UPDATE: words('user guild_id status activities client_status'),
  VOICE_STATE_UPDATE: words(`guild_id channel_id user_id member session_id deaf mute self_deaf self_mute self_video
    suppress request_to_speak_timestamp`),
  THREAD_MEMBERS_UPDATE: words('id guild_id member_count added_members'),
  GUILD_MEMBERS_CHUNK: words('guild_id members chunk_index chunk_count nonce presences'),
  CHANNEL_PINS_UPDATE: words('guild_id channel_id last_pin_timestamp'),
  GUILD_MEMBER_ADD: words('guild_id user roles joined_at'),
  GUILD_ROLE_CREATE: words('guild_id role'),
  THREAD_CREATE: words('id type guild_id parent_id newly_created thread_metadata'),
} as const;

const stage = async () => {
  const sandbox = await Sandbox.start();
  closers.push(() => sandbox.close());
  const { world } = sandbox;
  const bot = world.createBot('agent', 'token');
  const alice = world.createUser('alice');
  const guild = createGuild(world, 'Home', alice, [bot.user]);
  const general = createChannel(world, guild, 'general');
  const rest = async <T>(path: string, method = 'GET', body?: unknown): Promise<T> => {
    const answer = await fetch(`${sandbox.apiBase}/v10${path}`, {
      method,
      headers: { authorization: 'Bot token', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as T;
  };
  return { sandbox, world, alice, guild, general, rest };
};

const expectDocumented = (name: keyof typeof DOCUMENTED, value: unknown): void =>
  expect(Object.keys(value as object), name).toEqual(expect.arrayContaining([...DOCUMENTED[name]]));

describe('what the sandbox sends', () => {
  it('over REST carries every member that Discord documents', async () => {
    const { sandbox, world, alice, guild, general, rest } = await stage();
    const file = { name: 'a.txt', bytes: Buffer.from('x'), contentType: 'text/plain' };
    const message = sandbox.post(general, alice, 'hello', { files: [file] });
    const thread = sandbox.startThread(general, 'aside', alice, message);
    const fetched = await rest<{ attachments: unknown[]; thread: unknown }>(
      `/channels/${general.id}/messages/${message.id}`,
    );
    expectDocumented('message', fetched);
    expectDocumented('attachment', fetched.attachments[0]);
    expectDocumented('thread', fetched.thread);
    expectDocumented('user', await rest('/users/@me'));
    expectDocumented('guild', await rest(`/guilds/${guild.id}`));
    expectDocumented('channel', await rest(`/channels/${general.id}`));
    expectDocumented(
      'threadMetadata',
      (await rest<{ thread_metadata: unknown }>(`/channels/${thread.id}`)).thread_metadata,
    );
    expectDocumented('member', await rest(`/guilds/${guild.id}/members/${alice.id}`));
    expectDocumented('role', (await rest<unknown[]>(`/guilds/${guild.id}/roles`))[0]);
    expectDocumented('gatewayBot', await rest('/gateway/bot'));
    guild.properties.owner_id = world.bots.get('token')?.user.id ?? '';
    expectDocumented('webhook', await rest(`/channels/${general.id}/webhooks`, 'POST', { name: 'hook' }));
  });

  it('over the gateway as well', async () => {
    const { sandbox, world, alice, guild, general } = await stage();
    const socket = new WebSocket(`${world.origin.replace('http', 'ws')}/gateway`);
    closers.push(async () => socket.terminate());
    const seen = new Map<string, Record<string, unknown>>();
    socket.on('message', (data) => {
      const { t, d } = JSON.parse(String(data));
      if (t) seen.set(t, d);
    });
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ op: 2, d: { token: 'token', intents: (1 << 16) - 1, properties: {} } }));
    await vi.waitFor(() => expect(seen.has('GUILD_CREATE')).toBe(true));
    const [one, two, three] = ['one', 'two', 'three'].map((text) => sandbox.post(general, alice, text));
    if (!one || !two || !three) throw new Error('three messages were posted');
    react(world, general, one, alice.id, { id: null, name: '👍' }, true);
    react(world, general, one, alice.id, { id: null, name: '👍' }, false);
    pinMessage(world, general, one, true);
    startTyping(world, general, alice.id);
    setPresence(world, alice, 'idle');
    setVoice(world, guild, alice, createChannel(world, guild, 'lounge', ChannelType.GuildVoice));
    const members = { guild_id: guild.id, query: '', limit: 0, presences: true, nonce: 'n' };
    socket.send(JSON.stringify({ op: 8, d: members }));
    await vi.waitFor(() => expect(seen.has('GUILD_MEMBERS_CHUNK')).toBe(true));
    sandbox.delete(general, two);
    sandbox.bulkDelete(general, [three.id]);
    sandbox.startThread(general, 'aside', alice);
    addMember(world, guild, world.createUser('zed'));
    createRole(world, guild, 'role', []);
    await vi.waitFor(() => expect(seen.has('GUILD_ROLE_CREATE')).toBe(true));
    for (const name of Object.keys(DOCUMENTED) as (keyof typeof DOCUMENTED)[])
      if (/^[A-Z]/.test(name)) expectDocumented(name, seen.get(name) ?? {});
    expectDocumented('guild', seen.get('GUILD_CREATE'));
    expectDocumented('message', seen.get('MESSAGE_CREATE'));
  });

  it('pages messages before, after and around one, newest first', async () => {
    const { sandbox, alice, general, rest } = await stage();
    const posted = Array.from({ length: 10 }, (_, i) => sandbox.post(general, alice, `${i}`));
    const list = async (query: string) =>
      (await rest<{ content: string }[]>(`/channels/${general.id}/messages?${query}`))
        .map((one) => one.content)
        .join('');
    expect(await list('limit=3')).toBe('987');
    expect(await list(`limit=3&before=${posted[5]?.id}`)).toBe('432');
    expect(await list(`limit=3&after=${posted[5]?.id}`)).toBe('876');
    expect(await list(`limit=5&around=${posted[5]?.id}`)).toBe('76543');
  });

  it('lets a webhook post, edit and delete under its own name, without a bot', async () => {
    const { sandbox, world, guild, general, rest } = await stage();
    guild.properties.owner_id = world.bots.get('token')?.user.id ?? '';
    const hook = await rest<{ id: string; token: string }>(`/channels/${general.id}/webhooks`, 'POST', {
      name: 'hook',
    });
    const url = `${sandbox.apiBase}/v10/webhooks/${hook.id}/${hook.token}`;
    const headers = { 'content-type': 'application/json' };
    const sent = await fetch(`${url}?wait=true`, {
      method: 'POST',
      headers,
      body: '{"content":"hi","username":"Proxy"}',
    });
    const message = (await sent.json()) as { id: string };
    expect(sandbox.history(general)).toMatchObject([
      { content: 'hi', webhook_id: hook.id, author: { username: 'Proxy', bot: true } },
    ]);
    await fetch(`${url}/messages/${message.id}`, { method: 'PATCH', headers, body: '{"content":"hello"}' });
    expect(sandbox.history(general)[0]?.content).toBe('hello');
    await fetch(`${url}/messages/${message.id}`, { method: 'DELETE' });
    expect(sandbox.history(general)).toEqual([]);
    expect(
      (await fetch(`${sandbox.apiBase}/v10/webhooks/${hook.id}/wrong`, { method: 'POST', headers, body: '{}' })).status,
    ).toBe(404);
  });
});
