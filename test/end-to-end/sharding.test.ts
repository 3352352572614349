import { createChannel, createGuild, type Guild, openDm } from '@mcpl-bridges/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { BRIDGE, node } from '../helpers/programs.js';
import { eventIdOf, mcplId, openRoom, openScene, type Room, TOKEN } from '../helpers/scene.js';

/** More servers than Discord lets one connection serve. */
const SERVERS = 2501;

const shardOf = ({ id }: Guild): number => Number((BigInt(id) >> 22n) % 2n);

/** The bot in very many servers; `far` is a channel of the other connection than `general`'s. */
const manyServers = async () => {
  const room: Room = await openRoom();
  const { world } = room.sandbox;
  const guilds = Array.from({ length: SERVERS }, (_, n) =>
    createGuild(world, `server ${n}`, room.alice, [room.bot.user]),
  );
  const other = guilds.find((guild) => shardOf(guild) !== shardOf(room.guild)) as Guild;
  return { room, far: createChannel(world, other, 'far') };
};

describe('a bot in more servers than one connection may serve', () => {
  it('hears all of them, and its direct messages once, over as many as Discord wants', {
    timeout: 60_000,
  }, async () => {
    const { room, far } = await manyServers();
    room.sandbox.shards = 2;
    const scene = await openScene({ room, registered: false, open: false });
    const { sandbox, general, alice, bot, reports, reads, session } = scene;
    await vi.waitFor(() => expect([general, far].every((one) => session.channels.has(mcplId(one)))).toBe(true), {
      timeout: 40_000,
      interval: 100,
    });
    expect(sandbox.gateway.connected).toBe(2);
    for (const channel of [general, far]) await session.openChannel(mcplId(channel));
    const posted = [
      sandbox.post(general, alice, 'near'),
      sandbox.post(far, alice, 'far'),
      sandbox.post(openDm(sandbox.world, [alice, bot.user]), alice, 'closer'),
    ];
    for (const message of posted) await reports.of(eventIdOf.create(message));
    expect([...(await reads())].sort()).toEqual(['alice: closer', 'alice: far', 'alice: near']);

    sandbox.gateway.forgetSessions();
    sandbox.gateway.cutSockets();
    sandbox.edit(far, posted[1] as (typeof posted)[0], 'far and wide');
    const missed = sandbox.post(general, alice, 'missed');
    await reports.of(eventIdOf.create(missed));
    await reports.of(eventIdOf.edit(posted[1] as (typeof posted)[0]));
    expect([...(await reads())].sort()).toEqual([
      'alice (edited): far and wide',
      'alice: closer',
      'alice: far',
      'alice: missed',
      'alice: near',
    ]);
  });

  it('ends with a code of its own where Discord recommends too few', { timeout: 30_000 }, async () => {
    const { room } = await manyServers();
    const bridge = node(BRIDGE, [], { DISCORD_TOKEN: TOKEN, DISCORD_API_BASE: room.sandbox.apiBase });
    expect(await bridge.exited).toBe(5);
    expect(bridge.stderr()).toContain('the bot is in too many servers for the connections it has');
  });
});
