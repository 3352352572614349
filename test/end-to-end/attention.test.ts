import { channelsOpenResult, toBlocks } from '@mcpl-bridges/protocol';
import { createChannel, react } from '@mcpl-bridges/sandbox';
import { describe, expect, it } from 'vitest';
import { callTool } from '../helpers/call-tool.js';
import { DISCORD, type PlatformUnderTest, PORTAL } from '../helpers/platforms.js';
import { openScene, type Scene } from '../helpers/scene.js';

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

describe.each<[string, PlatformUnderTest]>([
  ['discord', DISCORD],
  ['portal', PORTAL],
])('%s-mcpl', (name, platform) => {
  const PREFIX = name.toUpperCase();

  describe('a channel that is closed', () => {
    it('lets a mention through with what was missed before it, and says so when asked', async () => {
      const scene = await openScene({ platform });
      const { sandbox, guild, alice, bob, reports, quiet, reads, session, way } = scene;
      const aside = createChannel(sandbox.world, guild, 'aside');
      for (const text of ['one', 'two two', 'three']) sandbox.post(aside, alice, text);
      const mention = sandbox.post(aside, bob, `${way.agent} come in`);
      await reports.of(way.eventId('create', mention));
      sandbox.edit(aside, mention, `${way.agent} come in, please`);
      await quiet();
      expect(await reads()).toEqual([`bob (edited): ${way.mention} come in, please`]);
      const missed = await callTool(scene, 'channel_missed', { channelId: way.channelId(aside) });
      expect(missed.data).toMatchObject({ isOpen: false, missedMessages: 3 });
      // A relay counts a message as long as it was when it was made.
      if (platform.name === 'discord') expect(missed.data?.missedCharacters).toBe(15);
      expect(missed.text).toMatch(/#aside \(Home\): closed; you have missed 3 messages \(\d+ characters\)$/);

      const later = sandbox.post(aside, bob, `${way.agent} still there?`);
      await reports.of(way.eventId('create', later));
      expect((await reads()).at(-1)).toBe(`bob (3 messages missed here): ${way.mention} still there?`);
      await session.openChannel(way.channelId(aside));
      const listed = await callTool(scene, 'list_subscriptions');
      expect(listed.text.split('\n').map((line) => line.replace(/^\S+ /, ''))).toEqual([
        '#general (Home): open; you miss nothing',
        '#aside (Home): open; you miss nothing',
      ]);
    });

    it('shows its past when it is opened, and what becomes of that past is told', async () => {
      const scene = await openScene({ platform, open: false });
      const { sandbox, general, alice, bob, quiet, reads, way } = scene;
      const channelId = way.channelId(general);
      const [first, second] = [sandbox.post(general, alice, 'one'), sandbox.post(general, bob, 'two')];
      sandbox.post(general, alice, 'three');
      const { texts, historyTruncated } = await openWith(scene, channelId, { limit: 2 });
      expect([texts, historyTruncated]).toEqual([['bob (sent): two', 'alice (sent): three'], false]);
      sandbox.edit(general, second, 'two, and more');
      sandbox.edit(general, first, 'nobody has read this');
      sandbox.delete(general, second);
      await quiet();
      expect(await reads()).toEqual([`[message deleted] ${way.messageId(second)} by bob`]);
      expect((await openWith(scene, channelId, { limit: 50, sinceLastSeen: true })).history).toEqual([]);
      const before = await openWith(scene, channelId, { limit: 50, beforeMessageId: way.messageId(second) });
      // A relay does not say whether a message was edited.
      const notes = platform.name === 'portal' ? 'sent' : 'sent, edited';
      expect(before.texts).toEqual([`alice (${notes}): nobody has read this`]);
    });

    it('shows no more of it than the operator allows', async () => {
      const scene = await openScene({ platform, open: false, env: { [`${PREFIX}_BACKSCROLL_LIMIT`]: '1' } });
      for (const text of ['one', 'two']) scene.sandbox.post(scene.general, scene.alice, text);
      const { texts, historyTruncated } = await openWith(scene, scene.way.channelId(scene.general), { limit: 50 });
      expect([texts, historyTruncated]).toEqual([['alice (sent): two'], true]);
    });
  });

  it('a muted channel says nothing, whatever addresses the agent, and nothing of it comes later', async () => {
    const scene = await openScene({ platform });
    const { sandbox, guild, alice, reports, quiet, reads, session, way } = scene;
    const noisy = createChannel(sandbox.world, guild, 'noisy');
    const channelId = way.channelId(noisy);
    const read = sandbox.post(noisy, alice, `${way.agent} read`);
    await reports.of(way.eventId('create', read));
    await reads();
    expect((await callTool(scene, 'mute_channel', { channelId })).text).toBe(
      `muted ${channelId}; unmute_channel takes it back`,
    );
    sandbox.edit(noisy, read, `${way.agent} changed`);
    const unread = sandbox.post(noisy, alice, `${way.agent} hello?`);
    await quiet();
    await expect(session.openChannel(channelId)).rejects.toThrow(/the agent has muted it; unmute_channel comes first/);
    expect((await callTool(scene, 'unmute_channel', { channelId })).text).toBe(`unmuted ${channelId}`);
    sandbox.edit(noisy, unread, 'no longer for you');
    sandbox.delete(noisy, unread);
    const heard = sandbox.post(noisy, alice, `${way.agent} now`);
    await reports.of(way.eventId('create', heard));
    await quiet();
    expect(await reads()).toEqual([`alice: ${way.mention} read`, `alice: ${way.mention} now`]);
  });

  it('what waits for the host when its channel is muted never reaches it', async () => {
    const scene = await openScene({ platform, policy: { capabilities: ['tools'] }, open: false, registered: false });
    const { sandbox, guild, general, alice, session, reports, reads, stderr, way } = scene;
    const aside = createChannel(sandbox.world, guild, 'aside');
    await expect.poll(() => stderr(), { timeout: 10_000 }).toContain(way.arrival);
    const mention = `${way.agent} hello`;
    sandbox.post(general, alice, mention);
    const heard = sandbox.post(aside, alice, mention);
    sandbox.post(general, alice, 'among others');
    const missed = async () => (await callTool(scene, 'channel_missed', { channelId: way.channelId(general) })).data;
    await expect.poll(missed, { timeout: 10_000 }).toMatchObject({ missedMessages: 1 });
    await callTool(scene, 'mute_channel', { channelId: way.channelId(general) });
    await callTool(scene, 'unmute_channel', { channelId: way.channelId(general) });
    await session.applyPolicy({});
    await reports.of(way.eventId('create', heard));
    expect(await reads()).toEqual([`alice: ${way.mention} hello`]);
  });

  it('messages say where they were said when the talk moves, and so do their edits', async () => {
    const scene = await openScene({ platform, env: { [`${PREFIX}_SOURCE_HEADER`]: 'changes' } });
    const { sandbox, guild, general, alice, bob, reports, reads, way } = scene;
    const aside = createChannel(sandbox.world, guild, 'aside');
    const say = async (...[channel, author, text]: Parameters<typeof sandbox.post>) => {
      const message = sandbox.post(channel, author, text);
      await reports.of(way.eventId('create', message));
      return message;
    };
    await say(general, alice, 'one');
    await say(general, bob, 'two');
    const moved = await say(aside, alice, `${way.agent} three`);
    sandbox.edit(aside, moved, `${way.agent} 3`);
    await reports.of(way.editId(moved));
    await say(aside, alice, `${way.agent} four`);
    const back = await say(general, bob, 'five');
    sandbox.delete(general, back);
    await reports.of(way.eventId('delete', back));
    await say(general, bob, 'six');
    expect(await reads()).toEqual([
      '[#general (Home)] alice: one',
      'bob: two',
      `[#aside (Home)] alice (edited): ${way.mention} 3`,
      `alice: ${way.mention} four`,
      '[#general (Home)] bob: six',
    ]);
  });

  it('bots wake the agent no more after so many turns, until a person speaks', async () => {
    const scene = await openScene({ platform, open: false, env: { [`${PREFIX}_BOT_TURNS`]: '2' } });
    const { sandbox, general, alice, quiet, reads, stderr, way } = scene;
    const other = sandbox.world.createBot('other', 'other-token').user;
    const say = (n: number) => sandbox.post(general, other, `${way.agent} ${n}`);
    for (const n of [1, 2, 3, 4]) say(n);
    await quiet();
    expect(await reads()).toEqual([`other: ${way.mention} 1`, `other: ${way.mention} 2`]);
    expect(stderr()).toContain('bots talk to the agent in a loop');
    sandbox.post(general, alice, 'enough');
    say(5);
    await quiet();
    expect((await reads()).at(-1)).toMatch(new RegExp(`^other .*: ${way.mention} 5$`));
  });

  it('the agent chooses where it hears of reactions', async () => {
    const scene = await openScene({ platform });
    const { sandbox, general, alice, bob, reports, quiet, reads, way } = scene;
    const message = sandbox.post(general, alice, 'deploy?');
    await reports.of(way.eventId('create', message));
    const mark = (name: string) => react(sandbox.world, general, message, bob.id, { id: null, name }, true);
    mark('👎');
    await callTool(scene, 'set_reaction_visibility', { channelId: way.channelId(general), visible: true });
    mark('👍');
    await quiet();
    expect(await reads()).toEqual(['alice: deploy?', `* bob reacted with 👍 to message ${way.messageId(message)}`]);
  });
});
