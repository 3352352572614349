import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentLoop } from '@mcpl-bridges/host';
import { addMember, createChannel, joinThread, removeMember, setPresence, startTyping } from '@mcpl-bridges/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { openRoom, openScene, type Scene } from '../helpers/scene.js';
import { SOON } from './support.js';

const openHouse = async (env: Record<string, string>) => {
  const room = await openRoom();
  setPresence(room.sandbox.world, room.alice, 'online');
  const scene = await openScene({ room, env: { MCPL_PRESENCE_DEBOUNCE_MS: '50', ...env } });
  return { ...scene, world: room.sandbox.world };
};

/** What the model reads of who is here, once it does. */
const readsAtLast = async ({ reads }: Pick<Scene, 'reads'>, lines: readonly string[]): Promise<void> =>
  vi.waitFor(async () => expect(await reads()).toEqual(lines), SOON);

/** Resolves when a person's arrival, or whatever else was said last, has come through. */
const told = ({ reports }: Pick<Scene, 'reports'>, least: number): Promise<void> =>
  vi.waitFor(() => expect(reports.all.length).toBeGreaterThanOrEqual(least), SOON);

describe('an agent that is told who is here as states', () => {
  it('reads who is here now, and only what is otherwise than when it looked last', async () => {
    const house = await openHouse({ DISCORD_PRESENCE: 'state' });
    const { world, bob, general } = house;
    await readsAtLast(house, ['* alice is here']);
    setPresence(world, bob, 'idle');
    await readsAtLast(house, ['* alice is here', '* bob is here, idle']);
    startTyping(world, general, bob.id);
    await readsAtLast(house, ['* alice is here', '* bob is here, idle', '* bob is here, idle, typing']);
  });

  it('reads nothing of who came and went before it looked, and that somebody left whom it has read of', async () => {
    const house = await openHouse({ DISCORD_PRESENCE: 'state' });
    const { world, guild, bob, reports, reads } = house;
    await told(house, 1);
    setPresence(world, bob, 'online');
    await told(house, 2);
    removeMember(world, guild, bob);
    await told(house, 3);
    expect(reports.all.map(({ outcome }) => outcome)).toContain('retracted');
    expect(await reads()).toEqual(['* alice is here']);
    removeMember(world, guild, house.alice);
    await readsAtLast(house, ['* alice is here', '* alice left']);
  });

  it('is not woken by it, as by what is said to it', async () => {
    const house = await openHouse({ DISCORD_PRESENCE: 'state' });
    const { host, world, sandbox, general, alice, bob, way } = house;
    const turns: (readonly string[])[] = [];
    const loop = new AgentLoop({
      host,
      model: { name: 'silent', respond: async () => undefined },
      wake: {
        rules: [{ match: { tagsAny: ['chat:addressed'] }, behavior: { kind: 'immediate' } }],
        otherwise: { kind: 'skip' },
      },
      onTurn: ({ context }) => turns.push(context),
      onError: (error) => expect(error).toBeUndefined(),
    });
    afterThisTest(async () => loop.stop());
    await told(house, 1);
    setPresence(world, bob, 'dnd');
    startTyping(world, general, bob.id);
    await told(house, 2);
    expect([loop.busy, turns]).toEqual([false, []]);
    sandbox.post(general, alice, `${way.agent} who is here?`);
    await vi.waitFor(() => expect(turns.at(-1)?.join()).toMatch(/alice is here.*who is here\?/), SOON);
  });

  it('is told of single channels only, where the operator says so', async () => {
    const room = await openRoom();
    setPresence(room.sandbox.world, room.alice, 'online');
    const other = createChannel(room.sandbox.world, room.guild, 'other');
    const env = { MCPL_PRESENCE_DEBOUNCE_MS: '50', DISCORD_PRESENCE: `${other.id}:state` };
    const scene = await openScene({ room, env });
    await scene.session.openChannel(scene.way.channelId(other));
    await readsAtLast(scene, ['* alice is here']);
    expect(scene.reports.all).toHaveLength(1);
  });

  it('reads it once, however often its bridge restarts, and what changed meanwhile', async () => {
    const room = await openRoom();
    const { world } = room.sandbox;
    for (const one of [room.alice, room.bob]) setPresence(world, one, 'online');
    const folder = await storeFolder();
    const env = { MCPL_PRESENCE_DEBOUNCE_MS: '50', DISCORD_PRESENCE: 'state', MCPL_STORE: `lmdb:${folder}` };
    const first = await openScene({ room, env: { ...env, XDG_STATE_HOME: folder } });
    await vi.waitFor(async () => expect([...(await first.reads())].sort()).toEqual(HERE), SOON);
    await first.bridge.stop();
    setPresence(world, room.bob, 'offline');
    const again = await openScene({ room, host: first.host, env: { ...env, XDG_STATE_HOME: folder } });
    await vi.waitFor(async () => expect((await again.reads()).slice(2)).toEqual(['* bob left']), SOON);
  });
});

const HERE = ['* alice is here', '* bob is here'];

const storeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'presence-store-'));
  afterThisTest(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

describe('an agent that is told of activity in a line', () => {
  it('reads what came of it all when it looks', async () => {
    const house = await openHouse({ DISCORD_PRESENCE: 'digest' });
    const { world, guild, alice, bob, general } = house;
    await readsAtLast(house, ['* alice is here']);
    const dan = world.createUser('dan');
    addMember(world, guild, dan);
    setPresence(world, bob, 'idle');
    await told(house, 2);
    setPresence(world, bob, 'online');
    await told(house, 3);
    setPresence(world, alice, 'dnd');
    startTyping(world, general, dan.id);
    await told(house, 4);
    removeMember(world, guild, bob);
    await told(house, 5);
    expect(await house.reads()).toEqual([
      '* alice is here',
      '* bob joined and left; alice moved from online to dnd; dan joined; dan is typing',
    ]);
  });

  it('reads messages as messages beside it', async () => {
    const house = await openHouse({ DISCORD_PRESENCE: 'digest' });
    await told(house, 1);
    house.sandbox.post(house.general, house.alice, 'hello');
    await told(house, 2);
    await vi.waitFor(async () => expect(await house.reads()).toEqual(['alice: hello', '* alice is here']), SOON);
  });
});

it('a thread has who joined it', async () => {
  const house = await openHouse({ DISCORD_PRESENCE: 'state' });
  const { sandbox, general, alice, bob, way, session, world } = house;
  const thread = sandbox.startThread(general, 'aside', alice);
  const id = way.channelId({ ...thread, guild_id: general.guild_id ?? '' });
  await vi.waitFor(() => session.openChannel(id), SOON);
  setPresence(world, bob, 'online');
  joinThread(world, thread, bob);
  await vi.waitFor(async () => expect((await house.reads()).filter((one) => /bob/.test(one))).toHaveLength(2), SOON);
});
