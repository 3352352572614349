import { channelsOpenResult, toBlocks } from '@mcpl-bridges/protocol';
import { createChannel, react } from '@mcpl-bridges/sandbox';
import { describe, expect, it } from 'vitest';
import { callTool } from '../helpers/call-tool.js';
import { eventIdOf, mcplId, openScene, type Scene } from '../helpers/scene.js';

const openWith = async ({ session }: Scene, channelId: string, history: Record<string, unknown>) => {
  const result = await session.mcp.request(
    { method: 'channels/open', params: { channelId, history } },
    channelsOpenResult,
  );
  const texts = result.history?.map(({ content }) =>
    toBlocks(content)
      .flatMap((one) => (one.type === 'text' ? one.text : []))
      .join(),
  );
  return { ...result, texts: texts?.map((text) => text.replace(/\(sent [^,)]*/, '(sent')) };
};

describe('a channel that is closed', () => {
  it('lets a mention through with what was missed before it, and says so when asked', async () => {
    const scene = await openScene();
    const { sandbox, guild, alice, bob, bot, reports, quiet, reads, session } = scene;
    const aside = createChannel(sandbox.world, guild, 'aside');
    for (const text of ['one', 'two two', 'three']) sandbox.post(aside, alice, text);
    const mention = sandbox.post(aside, bob, `<@${bot.user.id}> come in`);
    await reports.of(eventIdOf.create(mention));
    sandbox.edit(aside, mention, `<@${bot.user.id}> come in, please`);
    await quiet();
    expect(await reads()).toEqual(['bob (edited): @agent come in, please']);
    const missed = await callTool(scene, 'channel_missed', { channelId: mcplId(aside) });
    expect(missed.data).toMatchObject({ isOpen: false, missedMessages: 3, missedCharacters: 15 });
    expect(missed.text).toMatch(/#aside \(Home\): closed; you have missed 3 messages \(15 characters\)$/);

    const later = sandbox.post(aside, bob, `<@${bot.user.id}> still there?`);
    await reports.of(eventIdOf.create(later));
    expect((await reads()).at(-1)).toBe('bob (3 messages missed here): @agent still there?');
    await session.openChannel(mcplId(aside));
    const listed = await callTool(scene, 'list_subscriptions');
    expect(listed.text.split('\n').map((line) => line.replace(/^\S+ /, ''))).toEqual([
      '#general (Home): open; you miss nothing',
      '#aside (Home): open; you miss nothing',
    ]);
  });

  it('shows its past when it is opened, and what becomes of that past is told', async () => {
    const scene = await openScene({ open: false });
    const { sandbox, general, alice, bob, quiet, reads } = scene;
    const channelId = mcplId(general);
    const [first, second] = [sandbox.post(general, alice, 'one'), sandbox.post(general, bob, 'two')];
    sandbox.post(general, alice, 'three');
    const { texts, historyTruncated } = await openWith(scene, channelId, { limit: 2 });
    expect([texts, historyTruncated]).toEqual([['bob (sent): two', 'alice (sent): three'], false]);
    sandbox.edit(general, second, 'two, and more');
    sandbox.edit(general, first, 'nobody has read this');
    sandbox.delete(general, second);
    await quiet();
    expect(await reads()).toEqual([`[message deleted] ${second.id} by bob`]);
    expect((await openWith(scene, channelId, { limit: 50, sinceLastSeen: true })).history).toEqual([]);
    const before = await openWith(scene, channelId, { limit: 50, beforeMessageId: second.id });
    expect(before.texts).toEqual(['alice (sent, edited): nobody has read this']);
  });

  it('shows no more of it than the operator allows', async () => {
    const scene = await openScene({ open: false, env: { DISCORD_BACKSCROLL_LIMIT: '1' } });
    for (const text of ['one', 'two']) scene.sandbox.post(scene.general, scene.alice, text);
    const { texts, historyTruncated } = await openWith(scene, mcplId(scene.general), { limit: 50 });
    expect([texts, historyTruncated]).toEqual([['alice (sent): two'], true]);
  });
});

it('a muted channel says nothing, whatever addresses the agent, and nothing of it comes later', async () => {
  const scene = await openScene();
  const { sandbox, guild, alice, bot, reports, quiet, reads, session } = scene;
  const noisy = createChannel(sandbox.world, guild, 'noisy');
  const channelId = mcplId(noisy);
  const read = sandbox.post(noisy, alice, `<@${bot.user.id}> read`);
  await reports.of(eventIdOf.create(read));
  await reads();
  expect((await callTool(scene, 'mute_channel', { channelId })).text).toBe(
    `muted ${channelId}; unmute_channel takes it back`,
  );
  sandbox.edit(noisy, read, `<@${bot.user.id}> changed`);
  const unread = sandbox.post(noisy, alice, `<@${bot.user.id}> hello?`);
  await quiet();
  await expect(session.openChannel(channelId)).rejects.toThrow(/the agent has muted it; unmute_channel comes first/);
  expect((await callTool(scene, 'unmute_channel', { channelId })).text).toBe(`unmuted ${channelId}`);
  sandbox.edit(noisy, unread, 'no longer for you');
  sandbox.delete(noisy, unread);
  const heard = sandbox.post(noisy, alice, `<@${bot.user.id}> now`);
  await reports.of(eventIdOf.create(heard));
  await quiet();
  expect(await reads()).toEqual(['alice: @agent read', 'alice: @agent now']);
});

it('what waits for the host when its channel is muted never reaches it', async () => {
  const scene = await openScene({ policy: { capabilities: ['tools'] }, open: false, registered: false });
  const { sandbox, guild, general, alice, bot, session, reports, reads, stderr } = scene;
  const aside = createChannel(sandbox.world, guild, 'aside');
  await expect.poll(() => stderr(), { timeout: 10_000 }).toContain('connected to Discord');
  const mention = `<@${bot.user.id}> hello`;
  sandbox.post(general, alice, mention);
  const heard = sandbox.post(aside, alice, mention);
  sandbox.post(general, alice, 'among others');
  const missed = async () => (await callTool(scene, 'channel_missed', { channelId: mcplId(general) })).data;
  await expect.poll(missed, { timeout: 10_000 }).toMatchObject({ missedMessages: 1 });
  await callTool(scene, 'mute_channel', { channelId: mcplId(general) });
  await callTool(scene, 'unmute_channel', { channelId: mcplId(general) });
  await session.applyPolicy({});
  await reports.of(eventIdOf.create(heard));
  expect(await reads()).toEqual(['alice: @agent hello']);
});

it('messages say where they were said when the talk moves, and so do their edits', async () => {
  const scene = await openScene({ env: { DISCORD_SOURCE_HEADER: 'changes' } });
  const { sandbox, guild, general, alice, bob, bot, reports, reads } = scene;
  const aside = createChannel(sandbox.world, guild, 'aside');
  const say = async (...[channel, author, text]: Parameters<typeof sandbox.post>) => {
    const message = sandbox.post(channel, author, text);
    await reports.of(eventIdOf.create(message));
    return message;
  };
  await say(general, alice, 'one');
  await say(general, bob, 'two');
  const moved = await say(aside, alice, `<@${bot.user.id}> three`);
  sandbox.edit(aside, moved, `<@${bot.user.id}> 3`);
  await reports.of(eventIdOf.edit(moved));
  await say(aside, alice, `<@${bot.user.id}> four`);
  const back = await say(general, bob, 'five');
  sandbox.delete(general, back);
  await reports.of(eventIdOf.delete(back));
  await say(general, bob, 'six');
  expect(await reads()).toEqual([
    '[#general (Home)] alice: one',
    'bob: two',
    '[#aside (Home)] alice (edited): @agent 3',
    'alice: @agent four',
    '[#general (Home)] bob: six',
  ]);
});

it('bots wake the agent no more after so many turns, until a person speaks', async () => {
  const scene = await openScene({ open: false, env: { DISCORD_BOT_TURNS: '2' } });
  const { sandbox, general, alice, bot, quiet, reads, stderr } = scene;
  const other = sandbox.world.createBot('other', 'other-token').user;
  const say = (n: number) => sandbox.post(general, other, `<@${bot.user.id}> ${n}`);
  for (const n of [1, 2, 3, 4]) say(n);
  await quiet();
  expect(await reads()).toEqual(['other: @agent 1', 'other: @agent 2']);
  expect(stderr()).toContain('bots talk to the agent in a loop');
  sandbox.post(general, alice, 'enough');
  say(5);
  await quiet();
  expect((await reads()).at(-1)).toMatch(/^other .*: @agent 5$/);
});

it('the agent chooses where it hears of reactions', async () => {
  const scene = await openScene();
  const { sandbox, general, alice, bob, reports, quiet, reads } = scene;
  const message = sandbox.post(general, alice, 'deploy?');
  await reports.of(eventIdOf.create(message));
  const mark = (name: string) => react(sandbox.world, general, message, bob.id, { id: null, name }, true);
  mark('👎');
  await callTool(scene, 'set_reaction_visibility', { channelId: mcplId(general), visible: true });
  mark('👍');
  await quiet();
  expect(await reads()).toEqual(['alice: deploy?', `* bob reacted with 👍 to message ${message.id}`]);
});
