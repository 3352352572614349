import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChannel, openDm } from '@mcpl-bridges/sandbox';
import { expect, it } from 'vitest';
import { callTool } from '../helpers/call-tool.js';
import { afterThisTest } from '../helpers/cleanup.js';
import { eventIdOf, mcplId, openRoom, openScene } from '../helpers/scene.js';

it('what another bridge has left in its files is gone on with: how far it read, what was open, what was muted', async () => {
  const room = await openRoom();
  const { sandbox, guild, general, alice, bot } = room;
  const folder = mkdtempSync(join(tmpdir(), 'heritage-'));
  afterThisTest(async () => rmSync(folder, { recursive: true }));
  const write = (name: string, value: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  const noisy = createChannel(sandbox.world, guild, 'noisy');
  const dm = openDm(sandbox.world, [alice, bot.user]);
  const read = sandbox.post(general, alice, 'was read');
  const readDirect = sandbox.post(dm, alice, 'was read, too');
  const missed = sandbox.post(general, alice, 'was missed');
  const missedDirect = sandbox.post(dm, alice, 'was missed, too');
  const env = {
    DISCORD_SUBSCRIPTIONS_FILE: write('subscriptions.json', [general.id]),
    DISCORD_MUTED_CHANNELS_FILE: write('muted.json', [noisy.id]),
    DISCORD_REACTION_CHANNELS_FILE: join(folder, 'nowhere.json'),
    DISCORD_WATERMARK_FILE: write('watermarks.json', {
      watermarks: { [general.id]: read.id, [dm.id]: readDirect.id },
      dmChannels: [dm.id],
    }),
  };
  const scene = await openScene({ room, env, open: false });
  await scene.reports.of(eventIdOf.create(missed));
  await scene.reports.of(eventIdOf.create(missedDirect));
  sandbox.post(noisy, alice, `<@${bot.user.id}> noise`);
  await scene.quiet();
  expect([...(await scene.reads())].sort()).toEqual(['alice: was missed', 'alice: was missed, too']);
  expect((await callTool(scene, 'channel_missed', { channelId: mcplId(noisy) })).data).toMatchObject({ isMuted: true });
});
