import { startTyping } from '@mcpl-bridges/sandbox';
import { Redis } from 'ioredis';
import { nanoid } from 'nanoid';
import { describe, expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { PORTAL, type PortalWay } from '../helpers/platforms.js';
import { BRIDGE, startProgram } from '../helpers/programs.js';
import { openRoom } from '../helpers/scene.js';
import { entryOf, openPresence, SOON } from './support.js';

const url = process.env.REDIS_URL;
if (!url) throw new Error('REDIS_URL is not set: run npm test, which finds or starts a Redis');

/** Two personas of one relay, each with a bridge of its own; both tell each other by Redis. */
const openTwo = async () => {
  const binding = `test-${nanoid()}`;
  const room = await openRoom();
  const way = await PORTAL.join(room);
  const second = way.relay.state.personas.create('second');
  const other: PortalWay = {
    ...way,
    persona: second,
    env: { ...way.env, PORTAL_PERSONA: second.id, PORTAL_TOKEN: second.token },
  };
  const env = {
    MCPL_PRESENCE_REDIS: `${url}?binding=${binding}`,
    MCPL_PRESENCE_KEY: 'one key for all instances',
  };
  const open = (own: PortalWay) =>
    openPresence({ way: own, room, env, entries: () => [entryOf('agent', { agent: own.persona.id })] });
  const redis = new Redis(url);
  afterThisTest(async () => redis.disconnect());
  const keys = () => redis.keys(`{mcpl-presence:${binding}}:*`);
  return { room, way, other, open, redis, keys };
};

describe('several instances', () => {
  it('tell each other where their agents are, and whom they have met, in the same names', async () => {
    const { room, way, other, open } = await openTwo();
    const [first, second] = [await open(way), await open(other)];
    const channel = way.channelId(room.general);
    const [mine, theirs] = [first.watch('agent', channel).seen, second.watch('agent', channel).seen];
    const agents = [way.persona.id, other.persona.id].map((id) => `agent:${id}`).sort();
    for (const seen of [mine, theirs]) await vi.waitFor(() => expect(seen.at(-1)?.present).toEqual(agents), SOON);
    startTyping(room.sandbox.world, room.general, room.alice.id);
    await vi.waitFor(() => expect(mine.at(-1)?.typing).toHaveLength(1), SOON);
    await vi.waitFor(() => expect(theirs.at(-1)).toEqual(mine.at(-1)), SOON);
    await second.bridge.stop();
    await vi.waitFor(() => expect(mine.at(-1)?.present).not.toContain(`agent:${other.persona.id}`), SOON);
  });

  it('learn what was said before they came', async () => {
    const { room, way, other, open } = await openTwo();
    const first = await open(way);
    const channel = way.channelId(room.general);
    const { seen } = first.watch('agent', channel);
    room.sandbox.post(room.general, room.alice, 'hello');
    await vi.waitFor(() => expect(seen.at(-1)?.present).toHaveLength(2), SOON);
    const second = await open(other);
    const theirs = second.watch('agent', channel).seen;
    await vi.waitFor(() => expect(theirs.at(-1)?.present).toHaveLength(3), SOON);
    expect(theirs.at(-1)?.present).toEqual(expect.arrayContaining([...(seen.at(-1)?.present ?? [])]));
  });

  it('leave nothing in Redis that does not go of itself', async () => {
    const { room, way, open, redis, keys } = await openTwo();
    await open(way);
    room.sandbox.post(room.general, room.alice, 'hello');
    startTyping(room.sandbox.world, room.general, room.bob.id);
    await vi.waitFor(async () => expect((await keys()).length).toBeGreaterThanOrEqual(3), SOON);
    for (const key of await keys()) {
      const left = await redis.pttl(key);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(300_000);
    }
    for (const key of await keys()) expect(await redis.get(key)).not.toContain('hello');
  });
});

it('a Redis that is not there is said to the operator', async () => {
  const { exited, stderr } = startProgram(process.execPath, [BRIDGE], {
    DISCORD_TOKEN: 'x',
    DISCORD_API_BASE: 'http://127.0.0.1:9',
    DISCORD_PRESENCE: 'state',
    MCPL_PRESENCE_REDIS: 'redis://127.0.0.1:9',
  });
  expect(await exited).toBe(2);
  expect(stderr()).toMatch(/MCPL_PRESENCE_REDIS: Redis at 127.0.0.1:9 cannot be reached/);
});
