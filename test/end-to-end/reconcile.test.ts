import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Message, openDm } from '@mcpl-bridges/sandbox';
import { describe, expect, it } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { DISCORD, type PlatformUnderTest, PORTAL } from '../helpers/platforms.js';
import { eventIdOf, openRoom, openScene, type Room, type Scene } from '../helpers/scene.js';

const folderOfOurOwn = () => {
  const path = mkdtempSync(join(tmpdir(), 'mcpl-store-'));
  afterThisTest(async () => rmSync(path, { recursive: true, force: true }));
  return { MCPL_STORE: `lmdb:${path}` };
};

/** What happens while nobody listens: one message more, one edited, one deleted, one that comes and goes. */
const happen = ({ sandbox, general, alice, bob }: Room, [first, second]: readonly Message[]) => {
  sandbox.edit(general, first as Message, 'one, edited');
  sandbox.delete(general, second as Message);
  const missed = sandbox.post(general, bob, 'three');
  sandbox.delete(general, sandbox.post(general, alice, 'never mind'));
  return missed;
};

const begin = async (scene: Scene): Promise<Message[]> => {
  const { sandbox, general, alice, reports, way } = scene;
  const messages = ['one', 'two'].map((text) => sandbox.post(general, alice, text));
  for (const message of messages) await reports.of(way.eventId('create', message));
  expect(await scene.reads()).toEqual(['alice: one', 'alice: two']);
  return messages;
};

const caughtUp = ({ way }: Scene, second: Message): string[] => [
  'alice: one',
  'alice: two',
  'alice (edited): one, edited',
  'bob: three',
  `[message deleted] ${way.messageId(second)} by alice`,
];

const expectCaughtUp = async (
  scene: Scene,
  [first, second]: readonly Message[],
  inOrder = (lines: readonly string[]): readonly string[] => lines,
): Promise<void> => {
  await scene.reports.of(scene.way.editId(first as Message));
  await scene.reports.of(scene.way.eventId('delete', second as Message));
  await scene.quiet();
  expect(inOrder(await scene.reads())).toEqual(inOrder(caughtUp(scene, second as Message)));
};

/** After a new start the answer about a create may be lost: an edit waits for it, and other messages do not wait for the edit. */
const inAnyOrder = (lines: readonly string[]): readonly string[] => [...lines].sort();

describe.each<[string, PlatformUnderTest]>([
  ['discord', DISCORD],
  ['portal', PORTAL],
])('what happened while nobody listened (%s)', (_name, platform) => {
  it('is told once, under its usual ids, after a session that could not be resumed', async () => {
    const scene = await openScene({ platform });
    const messages = await begin(scene);
    scene.way.endSession();
    const missed = happen(scene, messages);
    await scene.reports.of(scene.way.eventId('create', missed));
    await expectCaughtUp(scene, messages);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'is told once after a %s and a new start, though the host has not opened the channel again',
    async (signal) => {
      const room = await openRoom();
      const way = await platform.join(room);
      const env = folderOfOurOwn();
      const first = await openScene({ room, way, env });
      const messages = await begin(first);
      first.bridge.kill(signal);
      await first.bridge.exited;
      happen(room, messages);
      const second = await openScene({ room, way, env, host: first.host, open: false });
      await expectCaughtUp(second, messages, inAnyOrder);
    },
  );

  it('is told up to a bound, with a note that there was more', async () => {
    const scene = await openScene({ platform });
    const [first] = await begin(scene);
    const { sandbox, general, bob, way } = scene;
    way.endSession();
    const missed = Array.from({ length: 230 }, (_, n) => sandbox.post(general, bob, `missed ${n}`));
    await scene.reports.of(way.eventId('create', missed.at(-1) as Message));
    await scene.quiet();
    const read = await scene.reads();
    expect(read.slice(0, 4)).toEqual([
      'alice: one',
      'alice: two',
      expect.stringMatching(
        /^\[messages are missing here, from before \d{4}-\d\d-\d\d \d\d:\d\d UTC; fetch the history/,
      ),
      'bob: missed 30',
    ]);
    expect(read).toHaveLength(203);
    expect(first).toBeDefined();
  });

  it('says how old it is', async () => {
    let behindMs = 3 * 3_600_000;
    const room = await openRoom({ now: () => Date.now() - behindMs });
    const way = await platform.join(room);
    const env = folderOfOurOwn();
    const first = await openScene({ room, way, env });
    const heard = room.sandbox.post(room.general, room.alice, 'one');
    await first.reports.of(way.eventId('create', heard));
    first.bridge.kill('SIGKILL');
    await first.bridge.exited;
    behindMs = 2 * 3_600_000;
    const missed = room.sandbox.post(room.general, room.bob, 'three');
    behindMs = 0;
    const second = await openScene({ room, way, env, host: first.host });
    await second.reports.of(way.eventId('create', missed));
    expect((await second.reads()).at(-1)).toMatch(/^bob \(sent \d{4}-\d\d-\d\d \d\d:\d\d UTC\): three$/);
  });

  it('before the bridge ever ran is no news', async () => {
    const room = await openRoom();
    const way = await platform.join(room);
    room.sandbox.post(room.general, room.alice, 'long ago');
    const scene = await openScene({ room, way });
    await scene.quiet();
    way.endSession();
    const missed = room.sandbox.post(room.general, room.alice, 'now');
    await scene.reports.of(way.eventId('create', missed));
    expect(await scene.reads()).toEqual(['alice: now']);
  });
});

describe('what happened on Discord while nobody listened', () => {
  it('is told once after a RESUME that brings back less than it should', async () => {
    const scene = await openScene();
    const messages = await begin(scene);
    scene.sandbox.gateway.dropNextDispatches(5);
    happen(scene, messages);
    scene.sandbox.gateway.cutSockets();
    await expectCaughtUp(scene, messages);
    expect(scene.sandbox.gateway.identifies).toBe(1);
  });

  it('in a direct message is told, too, over a new start', async () => {
    const room = await openRoom();
    const { sandbox, alice, bot } = room;
    const env = folderOfOurOwn();
    const first = await openScene({ room, env });
    const dm = openDm(sandbox.world, [alice, bot.user]);
    const hello = sandbox.post(dm, alice, 'hello');
    await first.reports.of(eventIdOf.create(hello));
    await first.reads();
    first.bridge.kill('SIGKILL');
    await first.bridge.exited;
    sandbox.edit(dm, hello, 'hello?');
    const missed = sandbox.post(dm, alice, 'anybody there?');
    const second = await openScene({ room, env, host: first.host });
    for (const id of [eventIdOf.edit(hello), eventIdOf.create(missed)]) await second.reports.of(id);
    expect(inAnyOrder(await second.reads())).toEqual(
      inAnyOrder(['alice: hello', 'alice (edited): hello?', 'alice: anybody there?']),
    );
  });
});
