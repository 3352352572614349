import { createInflate } from 'node:zlib';
import { Client, type ClientOptions, DiscordAPIError, GatewayIntentBits, type TextChannel } from 'discord.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import {
  type Bot,
  type Channel,
  createChannel,
  createGuild,
  type Guild,
  openDm,
  Sandbox,
  setOverwrite,
  type User,
} from './index.js';

interface Scene {
  sandbox: Sandbox;
  bot: Bot;
  alice: User;
  guild: Guild;
  general: Channel;
}

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const stage = async (): Promise<Scene> => {
  const sandbox = await Sandbox.start();
  closers.push(() => sandbox.close());
  const bot = sandbox.world.createBot('agent', 'token-1');
  const alice = sandbox.world.createUser('alice');
  const guild = createGuild(sandbox.world, 'Home', alice, [bot.user]);
  return { sandbox, bot, alice, guild, general: createChannel(sandbox.world, guild, 'general') };
};

const login = async (scene: Scene, options: Partial<ClientOptions> = {}) => {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent],
    rest: { api: scene.sandbox.apiBase, retries: 1, timeout: 2000 },
    ...options,
  });
  closers.push(() => client.destroy());
  const frames: { t: string; d: Record<string, unknown> }[] = [];
  client.on('raw', (frame) => frames.push(frame));
  const ready = new Promise((resolve) => client.once('clientReady', resolve));
  await client.login(scene.bot.token);
  await ready;
  const seen = (t: string) => frames.filter((frame) => frame.t === t).map((frame) => frame.d);
  return { client, frames, seen };
};

describe('discord.js, unmodified, against the sandbox', () => {
  it('logs in and sees what a user posts, edits and deletes', async () => {
    const scene = await stage();
    const { sandbox, general, alice } = scene;
    const { client, seen } = await login(scene);
    expect(client.guilds.cache.get(scene.guild.id)?.name).toBe('Home');

    const message = sandbox.post(general, alice, 'hello');
    sandbox.edit(general, message, 'hello there');
    sandbox.unfurl(general, message, { type: 'link', title: 'x' });
    sandbox.delete(general, message);
    await vi.waitFor(() => expect(seen('MESSAGE_DELETE')).toHaveLength(1));
    expect(seen('MESSAGE_CREATE')[0]).toMatchObject({
      content: 'hello',
      guild_id: scene.guild.id,
      edited_timestamp: null,
    });
    const [edited, unfurled] = seen('MESSAGE_UPDATE');
    expect(edited?.content).toBe('hello there');
    expect(edited?.edited_timestamp).toEqual(expect.any(String));
    expect(unfurled?.edited_timestamp).toBe(edited?.edited_timestamp);
  });

  it('posts, edits, reacts, starts threads and deletes over REST', async () => {
    const scene = await stage();
    const { client } = await login(scene);
    const channel = (await client.channels.fetch(scene.general.id)) as TextChannel;
    const sent = await channel.send({ content: 'one', files: [{ attachment: Buffer.from('abc'), name: 'a.txt' }] });
    expect(await (await fetch(sent.attachments.first()?.url ?? '')).text()).toBe('abc');
    await sent.edit('two');
    await sent.react('👍');
    const thread = await sent.startThread({ name: 'aside' });
    await thread.send('in the thread');
    const fetched = await channel.messages.fetch({ message: sent.id, force: true });
    expect(fetched.content).toBe('two');
    expect(fetched.reactions.cache.get('👍')?.count).toBe(1);
    expect([...(await channel.messages.fetch({ limit: 10 })).values()].map((one) => one.content)).toEqual(['two']);
    const second = await channel.send('three');
    const { sandbox, general, bot } = scene;
    setOverwrite(sandbox.world, general, { id: bot.user.id, type: 1 }, { allow: ['ManageMessages'] });
    await channel.bulkDelete([sent.id, second.id]);
    expect(scene.sandbox.history(scene.general)).toEqual([]);
  });

  it('is given a message only once for one nonce', async () => {
    const scene = await stage();
    const { client } = await login(scene);
    const channel = (await client.channels.fetch(scene.general.id)) as TextChannel;
    scene.sandbox.faults.plan({ method: 'POST', path: /messages$/, fault: { kind: 'lose-answer' } });
    await channel.send({ content: 'once', nonce: 'n1', enforceNonce: true }).catch(() => undefined);
    await channel.send({ content: 'once', nonce: 'n1', enforceNonce: true });
    expect(scene.sandbox.history(scene.general)).toHaveLength(1);
  });

  it("gets Discord's own codes for what it may not do", async () => {
    const scene = await stage();
    const { sandbox, bot, general, guild, alice } = scene;
    const { client } = await login(scene);
    const channel = (await client.channels.fetch(general.id)) as TextChannel;
    const code = async (attempt: Promise<unknown>): Promise<unknown> =>
      attempt.then(
        () => 'no error',
        (error: unknown) => (error instanceof DiscordAPIError ? error.code : error),
      );
    expect(await code(channel.messages.fetch('1'))).toBe(10008);
    expect(await code(channel.send(''))).toBe(50006);
    expect(await code(channel.send('x'.repeat(2001)))).toBe(50035);
    const theirs = sandbox.post(general, alice, 'mine');
    expect(
      await code(client.rest.patch(`/channels/${general.id}/messages/${theirs.id}`, { body: { content: 'y' } })),
    ).toBe(50005);
    expect(await code(channel.messages.delete(theirs.id))).toBe(50013);
    const big = Buffer.alloc(11 * 1024 * 1024);
    expect(await code(channel.send({ files: [{ attachment: big, name: 'big.bin' }] }))).toBe(40005);
    for (let i = 0; i < 20; i++)
      theirs.id &&
        (await client.rest.put(
          `/channels/${general.id}/messages/${theirs.id}/reactions/${encodeURIComponent(String.fromCodePoint(0x1f600 + i))}/@me`,
        ));
    expect(
      await code(
        client.rest.put(`/channels/${general.id}/messages/${theirs.id}/reactions/${encodeURIComponent('🚀')}/@me`),
      ),
    ).toBe(30010);
    setOverwrite(sandbox.world, general, { id: bot.user.id, type: 1 }, { deny: ['SendMessages'] });
    expect(await code(channel.send('quiet'))).toBe(50013);
    setOverwrite(sandbox.world, general, { id: bot.user.id, type: 1 }, { deny: ['ViewChannel'] });
    expect(await code(channel.send('quiet'))).toBe(50001);
    expect(await code(client.rest.get(`/channels/${guild.id.slice(0, -1)}7`))).toBe(10003);
    sandbox.world.closedToDms.add(alice.id);
    expect(await code(client.users.send(alice.id, 'hi'))).toBe(50007);
  });

  it('waits out a 429 and goes on', async () => {
    const scene = await stage();
    const { client } = await login(scene);
    const channel = (await client.channels.fetch(scene.general.id)) as TextChannel;
    for (const global of [false, true]) {
      scene.sandbox.faults.plan({
        method: 'POST',
        path: /messages$/,
        fault: { kind: 'rate-limit', retryAfter: 0.1, global },
      });
      await channel.send(`global ${global}`);
    }
    expect(scene.sandbox.history(scene.general).map((one) => one.content)).toEqual(['global false', 'global true']);
  });

  it('resumes after a cut and is replayed what it missed, in order', async () => {
    const scene = await stage();
    const { seen } = await login(scene);
    scene.sandbox.gateway.cutSockets();
    const missed = scene.sandbox.post(scene.general, scene.alice, 'while you were out');
    scene.sandbox.delete(scene.general, missed);
    await vi.waitFor(() => expect(seen('RESUMED')).toHaveLength(1), 10_000);
    expect(seen('MESSAGE_CREATE').map((one) => one.id)).toEqual([missed.id]);
    expect(seen('MESSAGE_DELETE').map((one) => one.id)).toEqual([missed.id]);
    expect(scene.sandbox.gateway.identifies).toBe(1);
  });

  it('identifies anew after an invalid session, and misses what fell into the gap', async () => {
    const scene = await stage();
    const { seen } = await login(scene);
    scene.sandbox.gateway.invalidateSessions(false);
    scene.sandbox.post(scene.general, scene.alice, 'in the gap');
    await vi.waitFor(() => expect(scene.sandbox.gateway.identifies).toBe(2), 15_000);
    await vi.waitFor(() => expect(seen('READY')).toHaveLength(2));
    expect(seen('MESSAGE_CREATE')).toEqual([]);
  });

  it('comes back when asked to reconnect, and sees dropped and repeated dispatches as such', async () => {
    const scene = await stage();
    const { seen } = await login(scene);
    scene.sandbox.gateway.askToReconnect();
    await vi.waitFor(() => expect(seen('RESUMED')).toHaveLength(1), 10_000);
    scene.sandbox.gateway.dropNextDispatches(1);
    scene.sandbox.post(scene.general, scene.alice, 'dropped');
    scene.sandbox.post(scene.general, scene.alice, 'seen');
    await vi.waitFor(() => expect(seen('MESSAGE_CREATE')).toHaveLength(1));
    scene.sandbox.gateway.replayLast(1);
    await vi.waitFor(() => expect(seen('MESSAGE_CREATE').map((one) => one.content)).toEqual(['seen', 'seen']));
  });

  it('is turned away for a wrong token and for an intent that is switched off', async () => {
    const scene = await stage();
    await expect(login({ ...scene, bot: { ...scene.bot, token: 'wrong' } })).rejects.toThrow(/token/i);
    scene.bot.privileged.messageContent = false;
    await expect(login(scene)).rejects.toThrow(/disallowed intents/i);
  });

  it('is shown no content without MESSAGE_CONTENT, except where it is named', async () => {
    const scene = await stage();
    const { seen } = await login(scene, { intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages] });
    scene.sandbox.post(scene.general, scene.alice, 'secret');
    scene.sandbox.post(scene.general, scene.alice, `<@${scene.bot.user.id}> hi`);
    await vi.waitFor(() =>
      expect(seen('MESSAGE_CREATE').map((one) => one.content)).toEqual(['', `<@${scene.bot.user.id}> hi`]),
    );
  });

  it('runs as several shards, each with its own guilds', async () => {
    const scene = await stage();
    scene.sandbox.shards = 2;
    const { client, seen } = await login(scene, { shards: 'auto' });
    expect(scene.sandbox.gateway.connected).toBe(2);
    scene.sandbox.post(scene.general, scene.alice, 'to one of you');
    await vi.waitFor(() => expect(seen('MESSAGE_CREATE')).toHaveLength(1));
    expect(client.ws.shards.size).toBe(2);
  });

  it('gets direct messages without a guild', async () => {
    const scene = await stage();
    const { seen } = await login(scene, { intents: [GatewayIntentBits.DirectMessages] });
    const dm = openDm(scene.sandbox.world, [scene.alice, scene.bot.user]);
    scene.sandbox.post(dm, scene.alice, 'psst');
    await vi.waitFor(() => expect(seen('MESSAGE_CREATE')).toHaveLength(1));
    expect(seen('MESSAGE_CREATE')[0]).not.toHaveProperty('guild_id');
  });
});

describe('the wire itself', () => {
  it('compresses the gateway as one zlib stream', async () => {
    const { sandbox } = await stage();
    const socket = new WebSocket(
      `${sandbox.world.origin.replace('http', 'ws')}/gateway?v=10&encoding=json&compress=zlib-stream`,
    );
    closers.push(async () => socket.terminate());
    const inflate = createInflate();
    const texts: string[] = [];
    inflate.setEncoding('utf8').on('data', (text) => texts.push(text));
    socket.on('message', (data: Buffer, isBinary) => {
      expect(isBinary).toBe(true);
      expect(data.subarray(-4)).toEqual(Buffer.from([0, 0, 0xff, 0xff]));
      inflate.write(data);
    });
    await vi.waitFor(() => expect(JSON.parse(texts.join(''))).toMatchObject({ op: 10 }));
    texts.length = 0;
    socket.send(JSON.stringify({ op: 1, d: null }));
    await vi.waitFor(() => expect(JSON.parse(texts.join(''))).toMatchObject({ op: 11 }));
  });

  it('answers with rate limit headers, and 401 without a token', async () => {
    const { sandbox, bot, general } = await stage();
    const url = `${sandbox.apiBase}/v10/channels/${general.id}/messages`;
    const answer = await fetch(url, { headers: { authorization: `Bot ${bot.token}` } });
    for (const name of ['limit', 'remaining', 'reset', 'reset-after', 'bucket'])
      expect(answer.headers.get(`x-ratelimit-${name}`)).toEqual(expect.any(String));
    expect((await fetch(url)).status).toBe(401);
  });
});
