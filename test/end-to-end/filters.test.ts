import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChannel, openDm } from '@mcpl-bridges/sandbox';
import { expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { BRIDGE, node } from '../helpers/programs.js';
import { eventIdOf, mcplId, openRoom, openScene, TOKEN } from '../helpers/scene.js';

const SOON = { timeout: 15_000, interval: 50 };

const filtersFile = (value: object) => {
  const folder = mkdtempSync(join(tmpdir(), 'filters-'));
  afterThisTest(async () => rmSync(folder, { recursive: true }));
  const path = join(folder, 'filters.json');
  const write = (what: object | string) => writeFileSync(path, typeof what === 'string' ? what : JSON.stringify(what));
  write(value);
  return { path, write };
};

it('what the operator does not let through reaches nobody, and what changes in the file holds at once', async () => {
  const room = await openRoom();
  const { sandbox, guild, general, alice, bob, bot } = room;
  const secret = createChannel(sandbox.world, guild, 'secret');
  const { path, write } = filtersFile({ guildChannels: { [guild.id]: [general.id] }, dmUsers: [alice.id] });
  const scene = await openScene({ room, env: { DISCORD_FILTERS_FILE: path } });
  const [friend, stranger] = [openDm(sandbox.world, [alice, bot.user]), openDm(sandbox.world, [bob, bot.user])];
  sandbox.post(secret, alice, `<@${bot.user.id}> secret`);
  const hidden = sandbox.post(stranger, bob, 'psst');
  sandbox.edit(stranger, hidden, 'psst!');
  const heard = sandbox.post(friend, alice, 'hello');
  await scene.reports.of(eventIdOf.create(heard));
  await scene.quiet();
  expect(await scene.reads()).toEqual(['alice: hello']);
  expect(scene.session.channels.has(mcplId(secret))).toBe(false);

  write('{ broken');
  await vi.waitFor(() => expect(scene.stderr()).toContain('the filters stay as they are'), SOON);
  write({ guildIds: [guild.id], dmUsers: [] });
  await vi.waitFor(() => expect(scene.session.channels.has(mcplId(secret))).toBe(true), SOON);
  const open = sandbox.post(secret, alice, `<@${bot.user.id}> now`);
  sandbox.post(friend, alice, 'still there?');
  await scene.reports.of(eventIdOf.create(open));
  await scene.quiet();
  expect(await scene.reads()).toEqual(['alice: hello', 'alice: @agent now']);
  const { content } = await scene.session.mcp.callTool({
    name: 'send_dm',
    arguments: { userId: alice.id, content: 'hi' },
  });
  expect(content).toMatchObject([{ text: 'the operator lets no direct messages with this user through' }]);
});

it('a filters file that cannot be read keeps the bridge from starting: nothing is let through by mistake', async () => {
  const bridge = node(BRIDGE, [], { DISCORD_TOKEN: TOKEN, DISCORD_FILTERS_FILE: '/nowhere/filters.json' });
  expect(await bridge.exited).toBe(2);
  expect(bridge.stderr()).toMatch(
    /^discord-mcpl: DISCORD_FILTERS_FILE: \/nowhere\/filters.json cannot be read as JSON: .*\n$/,
  );
});

it('invite prints where the bot is invited, with what it needs', async () => {
  const token = `${Buffer.from('123456789012345678').toString('base64')}.a.b`;
  const bridge = node(BRIDGE, ['invite'], { DISCORD_TOKEN: token });
  expect(await bridge.exited).toBe(0);
  const url = new URL(bridge.stdout().trim());
  expect([url.origin + url.pathname, url.searchParams.get('client_id'), url.searchParams.get('scope')]).toEqual([
    'https://discord.com/oauth2/authorize',
    '123456789012345678',
    'bot applications.commands',
  ]);
  const permissions = BigInt(url.searchParams.get('permissions') ?? '');
  // View Channels, Send Messages, Read Message History; never Administrator.
  expect([10n, 11n, 16n, 3n].map((bit) => (permissions >> bit) & 1n)).toEqual([1n, 1n, 1n, 0n]);
});
