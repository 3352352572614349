import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { react } from '@mcpl-bridges/sandbox';
import { describe, expect, it } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { eventIdOf, openScene } from '../helpers/scene.js';

const THUMB = { id: null, name: '👍' };
const ALL = { DISCORD_REACTION_CHANNELS: 'all' };

describe('reactions', () => {
  it('are told where they are wanted; one that is taken back unread leaves nothing, one that was read is corrected', async () => {
    const { sandbox, general, alice, bob, bot, reports, quiet, reads } = await openScene({ env: ALL });
    const message = sandbox.post(general, alice, 'deploy?');
    await reports.of(eventIdOf.create(message));
    const mark = (userId: string, add: boolean) => react(sandbox.world, general, message, userId, THUMB, add);
    mark(bob.id, true);
    mark(alice.id, true);
    mark(alice.id, false);
    mark(bot.user.id, true);
    await quiet();
    expect(await reads()).toEqual(['alice: deploy?', `* bob reacted with 👍 to message ${message.id}`]);
    mark(bob.id, false);
    sandbox.gateway.replayLast(3);
    await quiet();
    expect(await reads()).toEqual([
      'alice: deploy?',
      `* bob reacted with 👍 to message ${message.id}`,
      `* bob took 👍 back from message ${message.id}`,
    ]);
  });

  it("say when they are on the agent's own message", async () => {
    const { sandbox, general, bob, bot, quiet, reads } = await openScene({ env: ALL });
    const own = sandbox.post(general, bot.user, 'done');
    react(sandbox.world, general, own, bob.id, THUMB, true);
    await quiet();
    expect(await reads()).toEqual([`* bob reacted with 👍 to your message ${own.id}`]);
  });

  it('are not told elsewhere, nor those that the operator suppresses', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'filters-'));
    afterThisTest(async () => rmSync(folder, { recursive: true }));
    const path = join(folder, 'filters.json');
    writeFileSync(path, JSON.stringify({ suppressedReactionEmojis: ['👍'] }));
    for (const env of [{}, { ...ALL, DISCORD_FILTERS_FILE: path }]) {
      const { sandbox, general, bob, bot, quiet, reads } = await openScene({ env });
      const own = sandbox.post(general, bot.user, 'done');
      react(sandbox.world, general, own, bob.id, THUMB, true);
      await quiet();
      expect(await reads()).toEqual([]);
    }
  });
});
