import { clearReactions, react, removeMember, updateChannel } from '@mcpl-bridges/sandbox';
import { describe, expect, it } from 'vitest';
import { callTool } from '../helpers/call-tool.js';
import { eventIdOf, mcplId, openRoom, openScene } from '../helpers/scene.js';

const THUMB = { id: null, name: '👍' };
const WAVE = { id: null, name: '👋' };

describe('marks that a moderator clears', () => {
  it('are gone unread, and corrected where they were read', async () => {
    const { sandbox, general, alice, bob, reports, quiet, reads } = await openScene({
      env: { DISCORD_REACTION_CHANNELS: 'all' },
    });
    const message = sandbox.post(general, alice, 'deploy?');
    await reports.of(eventIdOf.create(message));
    const mark = (userId: string, emoji: typeof THUMB) => react(sandbox.world, general, message, userId, emoji, true);
    mark(bob.id, THUMB);
    mark(bob.id, WAVE);
    await quiet();
    const read = [`* bob reacted with 👍 to message ${message.id}`, `* bob reacted with 👋 to message ${message.id}`];
    expect(await reads()).toEqual(['alice: deploy?', ...read]);
    mark(alice.id, THUMB);
    clearReactions(sandbox.world, general, message, THUMB);
    sandbox.gateway.replayLast(1);
    await quiet();
    const cleared = [...read, `* 👍 of bob was cleared from message ${message.id}`];
    expect(await reads()).toEqual(['alice: deploy?', ...cleared]);
    mark(alice.id, WAVE);
    clearReactions(sandbox.world, general, message);
    mark(alice.id, THUMB);
    await quiet();
    expect(await reads()).toEqual([
      'alice: deploy?',
      ...cleared,
      `* 👋 of bob was cleared from message ${message.id}`,
      `* alice reacted with 👍 to message ${message.id}`,
    ]);
  });
});

describe('what Discord tells without a message', () => {
  const archive = (archived: boolean, time: string) => ({
    thread_metadata: { archived, locked: false, auto_archive_duration: 1440, archive_timestamp: time },
  });
  const happens = async (env: Record<string, string>) => {
    const room = await openRoom();
    room.guild.properties.system_channel_id = room.general.id;
    const scene = await openScene({ room, env });
    const { sandbox, general, alice, bob, guild, session, bot, reports } = scene;
    const thread = sandbox.startThread(general, 'plans', alice);
    const first = sandbox.post(thread, alice, `<@${bot.user.id}> here`);
    await reports.of(eventIdOf.create(first));
    await session.openChannel(mcplId(thread));
    updateChannel(sandbox.world, thread, archive(true, '2026-01-01T00:00:00.000000+00:00'));
    sandbox.gateway.replayLast(1);
    const carol = sandbox.world.createUser('carol');
    removeMember(sandbox.world, guild, carol);
    sandbox.gateway.replayLast(1);
    updateChannel(sandbox.world, thread, archive(false, '2026-01-01T01:00:00.000000+00:00'));
    const last = sandbox.post(thread, bob, 'last');
    await reports.of(eventIdOf.create(last));
    await scene.quiet();
    return scene.reads();
  };

  it('is told once, where the operator wants it', async () => {
    const texts = await happens({ DISCORD_SYSTEM_MESSAGES: 'on', DISCORD_MEMBERS: 'on' });
    expect([...texts].sort()).toEqual([
      '* carol left the server',
      '* the thread is open again',
      '* the thread was archived',
      'alice: @agent here',
      'bob: last',
    ]);
  });

  it('is not told elsewhere', async () => {
    expect(await happens({ DISCORD_MEMBERS: 'on' })).toEqual(['alice: @agent here', 'bob: last']);
  });
});

describe('the preview of a link', () => {
  const unfurled = async (unfurls: string) => {
    const env = { DISCORD_UNFURLS: unfurls };
    const scene = await openScene({ env, policy: { capabilities: ['tools'] }, open: false, registered: false });
    const { sandbox, general, alice, bot, session, reports, reads, stderr, quiet } = scene;
    await expect.poll(() => stderr(), { timeout: 10_000 }).toContain('connected to Discord');
    const preview = { type: 'link', title: 'Example', description: 'of [a] kind', url: 'https://example.org' };
    const message = sandbox.post(general, alice, `<@${bot.user.id}> see https://example.org`);
    sandbox.unfurl(general, message, preview);
    sandbox.post(general, alice, 'among others');
    const missed = async () => (await callTool(scene, 'channel_missed', { channelId: mcplId(general) })).data;
    await expect.poll(missed, { timeout: 10_000 }).toMatchObject({ missedMessages: 1 });
    await session.applyPolicy({});
    await reports.of(eventIdOf.create(message));
    const late = sandbox.post(general, alice, `<@${bot.user.id}> and https://example.org/2`);
    await reports.of(eventIdOf.create(late));
    sandbox.unfurl(general, late, preview);
    await quiet();
    return reads();
  };

  it('is shown only in messages that were not sent yet, and only where the operator wants it', async () => {
    expect(await unfurled('off')).toEqual([
      'alice: @agent see https://example.org',
      'alice (1 message missed here): @agent and https://example.org/2',
    ]);
    expect(await unfurled('unsent')).toEqual([
      'alice: @agent see https://example.org\n[preview]\n  Example\n  of [a] kind\n  https://example.org',
      'alice (1 message missed here): @agent and https://example.org/2',
    ]);
  });
});
