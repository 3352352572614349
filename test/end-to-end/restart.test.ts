import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { DISCORD, type PlatformUnderTest, PORTAL } from '../helpers/platforms.js';
import { bindingOfOurOwn } from '../helpers/redis-binding.js';
import { eventIdOf, openRoom, openScene, told } from '../helpers/scene.js';

it('what was taken in before a SIGKILL reaches the agent after it, once', async () => {
  const room = await openRoom();
  const { env, waiting } = bindingOfOurOwn();
  const first = await openScene({ room, env, policy: { capabilities: [] }, open: false, registered: false });
  await vi.waitFor(() => expect(first.stderr()).toContain('connected to Discord'), 10_000);
  const message = room.sandbox.post(room.general, room.alice, `<@${room.bot.user.id}> hello`);
  await vi.waitFor(async () => expect(await waiting()).toBe(1), 10_000);
  first.bridge.kill('SIGKILL');
  await first.bridge.exited;

  const second = await openScene({ room, env, host: first.host });
  await second.reports.of(eventIdOf.create(message));
  await second.quiet();
  expect(told(second, message)).toEqual(['push/event first']);
  await vi.waitFor(async () => expect(await waiting()).toBe(0), 10_000);
  expect(await second.reads()).toEqual(['alice: @agent hello']);
});

const folderOfOurOwn = () => {
  const path = mkdtempSync(join(tmpdir(), 'mcpl-store-'));
  afterThisTest(async () => rmSync(path, { recursive: true, force: true }));
  return { env: { MCPL_STORE: `lmdb:${path}` } };
};

describe.each<[string, PlatformUnderTest]>([
  ['discord', DISCORD],
  ['portal', PORTAL],
])('%s-mcpl', (_name, platform) => {
  it.each([
    ['Redis', bindingOfOurOwn],
    ['LMDB', folderOfOurOwn],
  ])(
    'knows a message from before a SIGKILL, by %s: its edit is an edit, its deletion names its author',
    async (_storage, storage) => {
      const room = await openRoom();
      const way = await platform.join(room);
      const { env } = storage();
      const first = await openScene({ room, way, env });
      const message = room.sandbox.post(room.general, room.alice, 'one');
      await first.reports.of(way.eventId('create', message));
      await first.reads();
      first.bridge.kill('SIGKILL');
      await first.bridge.exited;

      const second = await openScene({ room, way, env, host: first.host });
      await second.quiet();
      room.sandbox.edit(room.general, message, 'two');
      await second.reports.of(way.editId(message));
      room.sandbox.delete(room.general, message);
      await second.reports.of(way.eventId('delete', message));
      expect(await second.reads()).toEqual(['alice: one', `[message deleted] ${way.messageId(message)} by alice`]);
    },
  );
});
