import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addMember, createChannel, createGuild, createRole, setOverwrite } from '@mcpl-bridges/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { callTool as call } from '../helpers/call-tool.js';
import { afterThisTest } from '../helpers/cleanup.js';
import { initialize, rawHost } from '../helpers/raw-host.js';
import { eventIdOf, mcplId, openScene, type Scene } from '../helpers/scene.js';

const said = ({ sandbox, general, bot }: Scene) =>
  sandbox.history(general).filter(({ author }) => author.id === bot.user.id);

describe('the tools', () => {
  it('are listed with class, hints and schemas', async () => {
    const scene = await openScene();
    const { tools } = await scene.session.mcp.listTools();
    const names = tools.map(({ name }) => name).sort();
    expect(names).toEqual(
      [
        'send_message reply_message edit_message delete_message add_reaction remove_reaction fetch_history fetch_around',
        'list_channels list_guilds list_emojis pin_message unpin_message list_pins send_dm create_thread create_poll',
        'list_channel_members refresh_channels mute_channel unmute_channel list_subscriptions channel_missed',
        'set_reaction_visibility filters_get filters_update create_text_channel delete_channel search_messages',
      ]
        .join(' ')
        .split(' ')
        .sort(),
    );
    for (const { name, annotations, _meta, description, inputSchema } of tools) {
      const isSetting = /mute|subscriptions|missed|visibility|filters|refresh/.test(name);
      expect([name, _meta]).toEqual([name, { 'mcpl/class': [isSetting ? 'control' : 'comms'] }]);
      const isReading = /^(list|fetch|search)_|_get$|_missed$/.test(name);
      expect(annotations).toMatchObject({ readOnlyHint: isReading, openWorldHint: true });
      expect(description).toMatch(/\.$/);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it('reply, edit, react and delete', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, bot } = scene;
    const question = sandbox.post(general, alice, 'well?');
    const where = { channelId: '#general (Home)' };
    const reply = await call(scene, 'reply_message', { ...where, messageId: question.id, content: 'yes' });
    const [id] = (reply.data?.messageIds ?? []) as string[];
    expect(said(scene)).toMatchObject([{ content: 'yes', message_reference: { message_id: question.id } }]);
    expect(await call(scene, 'edit_message', { ...where, messageId: id, content: 'no' })).toMatchObject({
      text: `edited ${id}`,
    });
    expect(said(scene)).toMatchObject([{ content: 'no' }]);
    await call(scene, 'add_reaction', { ...where, messageId: question.id, emoji: '👍' });
    expect(sandbox.world.reactions.get(question.id)?.[0]?.users.has(bot.user.id)).toBe(true);
    await call(scene, 'remove_reaction', { ...where, messageId: question.id, emoji: '👍' });
    expect(sandbox.world.reactions.get(question.id) ?? []).toEqual([]);
    await call(scene, 'delete_message', { ...where, messageId: id });
    expect(said(scene)).toEqual([]);
  });

  it('link to files, for hosts that know links', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, session } = scene;
    const file = { name: 'a.zip', bytes: Buffer.from([0x50, 0x4b, 3, 4]), contentType: 'application/zip' };
    sandbox.post(general, alice, 'see', { files: [file] });
    const args = { channelId: '#general', limit: 5 };
    const { content } = await session.mcp.callTool({ name: 'fetch_history', arguments: args });
    // This host speaks MCP 2024-11-05, which knows no links.
    expect((content as { type: string }[]).map(({ type }) => type)).toEqual(['text']);
    const later = rawHost(scene, { MCPL_STORE: 'memory:' });
    await initialize(later, {}, '2025-06-18');
    await vi.waitFor(() => expect(later.bridge.stderr()).toContain('connected to Discord'), 10_000);
    later.send({ id: 2, method: 'tools/call', params: { name: 'fetch_history', arguments: args } });
    const answer = (await later.answer(2)).result as { content: unknown[] };
    expect(answer.content.slice(1)).toEqual([
      {
        type: 'resource_link',
        name: 'a.zip',
        mimeType: 'application/zip',
        size: 4,
        uri: expect.stringMatching(/^http:.*\/a\.zip\?ex=/),
      },
    ]);
  });

  it('read what stands in a channel now, also what is older than the bridge', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, bob } = scene;
    const messages = [1, 2, 3, 4].map((n) => sandbox.post(general, n % 2 ? alice : bob, `message ${n}`));
    sandbox.edit(general, messages[1] as (typeof messages)[0], 'message 2, edited');
    const { text, data } = await call(scene, 'fetch_history', { channelId: mcplId(general), limit: 3 });
    expect(text.split('\n').map((line) => line.replace(/^\d+ \S+ \S+ UTC /, ''))).toEqual([
      'bob (edited): message 2, edited',
      'alice: message 3',
      'bob: message 4',
    ]);
    expect(data).toMatchObject({
      channelId: mcplId(general),
      messages: [{ id: messages[1]?.id, author: 'bob', authorId: bob.id, text: 'message 2, edited' }, {}, {}],
    });
    const before = { channelId: mcplId(general), before: messages[2]?.id, limit: 1 };
    expect((await call(scene, 'fetch_history', before)).text).toContain('message 2, edited');
    const around = { channelId: mcplId(general), messageId: messages[2]?.id, limit: 3 };
    expect((await call(scene, 'fetch_around', around)).text.split('\n')).toHaveLength(3);
  });

  it('find channels and servers by name, and refuse what could be several', async () => {
    const scene = await openScene();
    const { sandbox, alice, bot } = scene;
    const other = createGuild(sandbox.world, 'Work', alice, []);
    const twin = createChannel(sandbox.world, other, 'general');
    addMember(sandbox.world, other, bot.user);
    await vi.waitFor(
      async () =>
        expect((await call(scene, 'list_channels', { query: 'work' })).text).toBe(`${mcplId(twin)} #general (Work)`),
      10_000,
    );
    const { text, isError } = await call(scene, 'send_message', { channelId: '#general', content: 'x' });
    expect([isError, text]).toEqual([true, expect.stringMatching(/^#general could be any of 2 channels; use an id: /)]);
    expect((await call(scene, 'send_message', { channelId: '#general (work)', content: 'x' })).isError).toBe(false);
    expect((await call(scene, 'list_guilds', {})).text.split('\n').sort()).toEqual(
      [`${scene.guild.id} Home`, `${other.id} Work`].sort(),
    );
    expect((await call(scene, 'list_emojis', { guild: 'Nowhere' })).text).toMatch(
      /^Nowhere names no server; use one of /,
    );
    expect((await call(scene, 'list_emojis', { guild: 'Home' })).text).toBe('this server has no emoji of its own');
  });

  it('pin, start threads, post polls, and write directly', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, guild, bot } = scene;
    const channelId = mcplId(general);
    const message = sandbox.post(general, alice, 'read me');
    expect((await call(scene, 'pin_message', { channelId, messageId: message.id })).text).toBe(
      'the bot may not do that here; someone must grant it the permission (Discord 50013)',
    );
    const moderator = createRole(sandbox.world, guild, 'moderator', ['ManageMessages']);
    guild.members.get(bot.user.id)?.roles.push(moderator.id);
    await call(scene, 'pin_message', { channelId, messageId: message.id });
    expect((await call(scene, 'list_pins', { channelId })).text).toBe(`${message.id}\nread them with fetch_around`);
    await call(scene, 'unpin_message', { channelId, messageId: message.id });
    expect((await call(scene, 'list_pins', { channelId })).text).toBe('nothing is pinned here');
    const thread = await call(scene, 'create_thread', { channelId, messageId: message.id, name: 'about it' });
    expect(thread.text).toBe(`started discord:${scene.guild.id}:${message.id}`);
    await call(scene, 'create_poll', { channelId, question: 'Lunch?', answers: ['Pizza', 'Rice'] });
    expect(said(scene).at(-1)?.poll).toMatchObject({ question: { text: 'Lunch?' } });
    const dm = await call(scene, 'send_dm', { userId: alice.id, content: 'psst' });
    const dmId = String(dm.data?.channelId).split(':').at(-1) as string;
    expect([...sandbox.world.messagesOf(dmId).values()].map(({ content }) => content)).toEqual(['psst']);
  });

  it('find what was said, who is there, and make and remove channels', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, bob, guild, bot } = scene;
    const secret = createChannel(sandbox.world, guild, 'secret');
    setOverwrite(sandbox.world, secret, { id: guild.id, type: 0 }, { deny: ['ViewChannel'] });
    sandbox.post(secret, alice, 'the deploy is a secret');
    sandbox.post(general, alice, 'deploy at 5');
    const found = sandbox.post(general, bob, 'deploy at 6');
    const search = await call(scene, 'search_messages', { guild: 'Home', query: 'deploy', authorId: bob.id });
    expect(search.data).toMatchObject({ total: 1, messages: [{ id: found.id, author: 'bob', text: 'deploy at 6' }] });
    expect((await call(scene, 'search_messages', { guild: 'Home', query: 'deploy' })).data).toMatchObject({ total: 2 });
    expect((await call(scene, 'search_messages', { guild: 'Home', query: 'nothing' })).text).toBe('nothing was found');
    const members = await call(scene, 'list_channel_members', { channelId: mcplId(general) });
    expect(members.data).toMatchObject({
      members: [{ name: 'agent', isBot: true }, { name: 'alice', isBot: false }, { name: 'bob' }],
      isComplete: true,
    });
    expect((await call(scene, 'create_text_channel', { guild: 'Home', name: 'plans' })).text).toMatch(/Discord 50013/);
    const admin = createRole(sandbox.world, guild, 'admin', ['ManageChannels']);
    guild.members.get(bot.user.id)?.roles.push(admin.id);
    const made = await call(scene, 'create_text_channel', { guild: 'Home', name: 'plans' });
    const channelId = String(made.data?.channelId);
    await vi.waitFor(() => expect(scene.session.channels.has(channelId)).toBe(true), 10_000);
    expect((await call(scene, 'refresh_channels')).data).toMatchObject({ added: [] });
    expect((await call(scene, 'delete_channel', { channelId })).text).toBe(`removed ${channelId}`);
    await vi.waitFor(() => expect(scene.session.channels.has(channelId)).toBe(false), 10_000);
  });

  it('reply to whoever spoke last, and ask whom is meant where that is not clear', async () => {
    const scene = await openScene();
    const { sandbox, general, alice, bob } = scene;
    const twin = sandbox.world.createUser('Alice');
    addMember(sandbox.world, scene.guild, twin);
    sandbox.post(general, bob, 'first');
    const newest = sandbox.post(general, bob, 'second');
    const args = { channelId: mcplId(general), content: 'well' };
    await call(scene, 'reply_message', { ...args, latestFrom: '@Bob' });
    expect(said(scene).at(-1)).toMatchObject({ message_reference: { message_id: newest.id } });
    sandbox.post(general, alice, 'x');
    sandbox.post(general, twin, 'y');
    const { text, isError } = await call(scene, 'reply_message', { ...args, latestFrom: 'alice' });
    expect([isError, text]).toEqual([true, expect.stringMatching(/^alice could be any of 2 authors; use an id: /)]);
    expect((await call(scene, 'reply_message', { ...args, latestFrom: 'zoe' })).text).toMatch(/^nobody called zoe/);
    expect((await call(scene, 'reply_message', args)).text).toMatch(/^name the message by messageId, or by latestFrom/);
  });

  it('send files of one folder, and of no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'files-'));
    afterThisTest(async () => rmSync(folder, { recursive: true }));
    const root = join(folder, 'shared');
    mkdirSync(root);
    writeFileSync(join(root, 'plan.txt'), 'the plan');
    writeFileSync(join(folder, 'key.pem'), 'secret');
    symlinkSync(join(folder, 'key.pem'), join(root, 'link.txt'));
    const scene = await openScene({ env: { DISCORD_FILES_ROOT: root } });
    const send = (path: string) =>
      call(scene, 'send_message', { channelId: mcplId(scene.general), content: 'here', files: [path] });
    expect((await send('plan.txt')).isError).toBe(false);
    expect(said(scene).at(-1)?.attachments).toMatchObject([{ filename: 'plan.txt', size: 8 }]);
    for (const path of ['../key.pem', join(folder, 'key.pem'), 'link.txt', 'nowhere.txt'])
      expect((await send(path)).text).toMatch(/^there is no file .* under /);
    expect(said(scene)).toHaveLength(1);
  });

  it('are there as the host wants their feature sets', async () => {
    const scene = await openScene({ policy: { disabled: ['discord.subscriptions'] } });
    const { tools } = await scene.session.mcp.listTools();
    const names = tools.map(({ name }) => name);
    expect([names.includes('mute_channel'), names.includes('send_message')]).toEqual([false, true]);
    await expect(call(scene, 'mute_channel', { channelId: mcplId(scene.general) })).rejects.toMatchObject({
      code: -32001,
    });
  });

  it.each<[string, string, Record<string, unknown>, RegExp]>([
    ['what somebody else wrote', 'edit_message', { content: 'x' }, /^only whoever posted a message can edit it/],
    [
      'what would not fit',
      'edit_message',
      { content: 'x'.repeat(2001) },
      /^content is 2001 characters long; one message holds 2000/,
    ],
    ['an emoji that is none', 'add_reaction', { emoji: 'nonsense' }, /^there is no such emoji here/],
  ])('say why not: %s', async (_what, name, args, sentence) => {
    const scene = await openScene();
    const message = scene.sandbox.post(scene.general, scene.alice, 'hello');
    await scene.reports.of(eventIdOf.create(message));
    const { text, isError } = await call(scene, name, {
      channelId: mcplId(scene.general),
      messageId: message.id,
      ...args,
    });
    expect([isError, text]).toEqual([true, expect.stringMatching(sentence)]);
  });
});
