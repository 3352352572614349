import { ChannelType, createChannel, openDm } from '@mcpl-bridges/sandbox';
import { expect, it, vi } from 'vitest';
import { callTool } from '../helpers/call-tool.js';
import { eventIdOf, mcplId, openScene } from '../helpers/scene.js';

const SOON = { timeout: 10_000, interval: 50 };

it.each([
  ['an announcement channel', ChannelType.GuildAnnouncement],
  ["a voice channel's text", ChannelType.GuildVoice],
  ["a stage's text", ChannelType.GuildStageVoice],
])('%s is a channel like any other', async (_what, type) => {
  const scene = await openScene();
  const { sandbox, guild, alice, reports, reads, session } = scene;
  const place = createChannel(sandbox.world, guild, 'place', type);
  await vi.waitFor(() => expect(session.channels.has(mcplId(place))).toBe(true), SOON);
  await session.openChannel(mcplId(place));
  const message = sandbox.post(place, alice, 'one');
  await reports.of(eventIdOf.create(message));
  sandbox.edit(place, message, 'two');
  const unread = sandbox.post(place, alice, 'never mind');
  await reports.of(eventIdOf.create(unread));
  sandbox.delete(place, unread);
  await reports.of(eventIdOf.delete(unread));
  expect(await reads()).toEqual(['alice (edited): two']);
});

it.each([
  ['forum', ChannelType.GuildForum],
  ['media', ChannelType.GuildMedia],
])('a post of a %s channel is a channel of its own, and its first message is told once', async (_what, type) => {
  const scene = await openScene();
  const { sandbox, guild, alice, bob, bot, reports, quiet, reads, session } = scene;
  const forum = createChannel(sandbox.world, guild, 'forum', type);
  const post = sandbox.startThread(forum, 'how to deploy', alice);
  await vi.waitFor(() => expect(session.channels.has(mcplId(post))).toBe(true), SOON);
  expect(session.channels.has(mcplId(forum))).toBe(false);
  const { text } = await callTool(scene, 'list_channels', { query: 'deploy' });
  expect(text).toBe(`${mcplId(post)} #forum › how to deploy (Home)`);
  const first = sandbox.post(post, alice, `<@${bot.user.id}> how?`, { extra: { id: post.id } });
  await reports.of(eventIdOf.create(first));
  sandbox.post(post, bob, 'no idea');
  sandbox.edit(post, first, `<@${bot.user.id}> how, please?`);
  await quiet();
  expect(await reads()).toEqual(['alice (edited): @agent how, please?']);
});

it('a group of people is a private place', async () => {
  const scene = await openScene();
  const { sandbox, alice, bob, bot, reports, reads } = scene;
  const group = openDm(sandbox.world, [alice, bob, bot.user]);
  const message = sandbox.post(group, bob, 'hello all');
  const report = await reports.of(eventIdOf.create(message));
  expect(report.lane).toBe('push/event');
  sandbox.edit(group, message, 'hello everybody');
  await reports.of(eventIdOf.edit(message));
  expect(await reads()).toEqual(['bob (edited): hello everybody']);
});
