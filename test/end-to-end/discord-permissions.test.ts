import {
  addMember,
  createChannel,
  createGuild,
  createRole,
  deleteChannel,
  removeMember,
  renameGuild,
  setOverwrite,
  setRoles,
  updateRole,
} from '@mcpl-bridges/sandbox';
import { expect, it, vi } from 'vitest';
import { eventIdOf, mcplId, openScene } from '../helpers/scene.js';

const SOON = { timeout: 10_000, interval: 20 };

it('channels come and go with what roles allow the bot, and are called what they are called', async () => {
  const { sandbox, guild, general, bot, alice, session, reports } = await openScene();
  const { world } = sandbox;
  const has = (is: boolean) => vi.waitFor(() => expect(session.channels.has(mcplId(general))).toBe(is), SOON);
  const reader = createRole(world, guild, 'reader', ['ViewChannel', 'ReadMessageHistory', 'SendMessages']);
  setOverwrite(world, general, { id: guild.id, type: 0 }, { deny: ['ViewChannel'] });
  await has(false);
  setOverwrite(world, general, { id: reader.id, type: 0 }, { allow: ['ViewChannel'] });
  setRoles(world, guild, bot.user, [reader]);
  await has(true);
  setRoles(world, guild, bot.user, []);
  await has(false);
  setOverwrite(world, general, { id: guild.id, type: 0 }, {});
  await has(true);
  setOverwrite(world, general, { id: reader.id, type: 0 }, {});
  const everyone = guild.roles.get(guild.id);
  if (!everyone) throw new Error('a guild has a role of all its members');
  updateRole(world, guild, everyone, []);
  await has(false);
  updateRole(world, guild, everyone, ['ViewChannel', 'ReadMessageHistory', 'SendMessages']);
  await has(true);
  renameGuild(world, guild, 'Away');
  const label = () => session.channels.all().find(({ id }) => id === mcplId(general))?.label;
  await vi.waitFor(() => expect(label()).toBe('#general (Away)'), SOON);
  const message = sandbox.post(general, alice, `<@${bot.user.id}> still there?`);
  expect((await reports.of(eventIdOf.create(message))).channelId).toBe(mcplId(general));
});

it('servers and channels come and go', async () => {
  const { sandbox, general, bot, alice, session, reports, quiet, reads } = await openScene();
  const { world } = sandbox;
  const away = createGuild(world, 'Away', alice, []);
  const room = createChannel(world, away, 'room');
  const has = (is: boolean) => vi.waitFor(() => expect(session.channels.has(mcplId(room))).toBe(is), SOON);
  addMember(world, away, bot.user);
  await has(true);
  const mention = sandbox.post(room, alice, `<@${bot.user.id}> welcome`);
  await reports.of(eventIdOf.create(mention));
  removeMember(world, away, bot.user);
  await has(false);
  addMember(world, away, bot.user);
  await has(true);
  deleteChannel(world, room);
  await has(false);
  sandbox.post(general, alice, 'and here?');
  await quiet();
  expect(await reads()).toEqual(['alice: @agent welcome', 'alice: and here?']);
});
