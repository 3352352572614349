import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { DISCORD, type PlatformUnderTest, PORTAL } from '../helpers/platforms.js';
import { RedisServer } from '../helpers/redis-server.js';
import { openRoom, openScene } from '../helpers/scene.js';

/** For how long Redis writes nothing, ms. */
const PAUSE_MS = 1500;

it.each<[string, PlatformUnderTest]>([
  ['discord', DISCORD],
  ['portal', PORTAL],
])(
  'what is said once %s-mcpl has opened a channel is for the host, though it dies at that moment',
  async (_name, platform) => {
    const server = await RedisServer.start();
    afterThisTest(() => server.stop());
    const redis = new Redis(server.port);
    afterThisTest(async () => redis.disconnect());
    const room = await openRoom();
    const way = await platform.join(room);
    const env = { MCPL_STORE: `redis://127.0.0.1:${server.port}?lease=1000` };
    const first = await openScene({ room, way, env, open: false });
    await first.quiet();
    await redis.call('CLIENT', 'PAUSE', PAUSE_MS, 'WRITE');
    await first.session.openChannel(way.channelId(room.general));
    first.bridge.kill('SIGKILL');
    await first.bridge.exited;
    const message = room.sandbox.post(room.general, room.alice, 'hello');

    const second = await openScene({ room, way, env, host: first.host, open: false });
    await second.reports.of(way.eventId('create', message));
    expect(await second.reads()).toEqual(['alice: hello']);
  },
);
