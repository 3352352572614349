import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '@mcpl-bridges/sandbox';
import { expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { DISCORD, type PlatformUnderTest, PORTAL, type PortalWay, type Way } from '../helpers/platforms.js';
import { randomOf } from '../helpers/random.js';
import { openRoom, openScene, type Room, type Scene } from '../helpers/scene.js';

/** Things that happen in the room; `npm run soak` asks for more. */
const OPERATIONS = Number(process.env.MCPL_ROOM_OPERATIONS ?? 160);
const SEED = Number(process.env.MCPL_SEED ?? Date.now() % 1_000_000);
/** As many messages stand in the room at most: what a gap is caught up with has a bound. */
const MOST_MESSAGES = 60;

interface Spoken {
  readonly message: Message;
  /** Everything that the agent may read of it, in order. */
  readonly lines: string[];
  gone: boolean;
}

type Act = () => void;
type Disaster = () => void | Promise<void>;

const onDiscord = ({ sandbox: { gateway } }: Room, _way: Way, act: Act): Disaster[] => [
  () => gateway.cutSockets(),
  () => gateway.closeSockets(4000),
  () => gateway.askToReconnect(),
  () => gateway.invalidateSessions(false),
  () => {
    gateway.forgetSessions();
    gateway.cutSockets();
  },
  () => {
    gateway.dropNextDispatches(3);
    for (let i = 0; i < 3; i++) act();
    gateway.cutSockets();
  },
  () => gateway.replayLast(10),
];

const onPortal = (_room: Room, { relay, persona }: PortalWay, act: Act): Disaster[] => [
  () => relay.drop(),
  () => relay.restart(),
  async () => {
    relay.accepts = false;
    relay.drop();
    await vi.waitFor(() => expect(relay.isPresent(persona)).toBe(false));
    for (let i = 0; i < 5; i++) act();
    relay.accepts = true;
  },
  () => relay.failNextCall('loses-answer'),
  () => relay.failNextCall({ code: 'RATE_LIMITED', message: 'slow down' }),
];

const survives = <W extends Way>(
  platform: PlatformUnderTest<W>,
  disastersOf: (room: Room, way: W, act: Act) => Disaster[],
) =>
  it(
    `whatever becomes of the connection and the bridge, the agent reads what the channel says, nothing twice (${platform.name}, ${OPERATIONS} operations, seed ${SEED})`,
    async () => {
      const random = randomOf(SEED);
      const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
      const path = mkdtempSync(join(tmpdir(), 'mcpl-room-'));
      afterThisTest(async () => rmSync(path, { recursive: true, force: true }));
      const room = await openRoom();
      const way = await platform.join(room);
      const { sandbox, general, alice } = room;
      const env = { MCPL_STORE: `lmdb:${path}`, MCPL_LOG_LEVEL: 'warn' };
      let scene: Scene<W> = await openScene({ room, way, env });
      const spoken: Spoken[] = [];
      const standing = () => spoken.filter(({ gone }) => !gone);

      const say = (): void => {
        const message = sandbox.post(general, alice, `message ${spoken.length} version 0`);
        spoken.push({ message, lines: [`alice: message ${spoken.length} version 0`], gone: false });
      };
      const edit = (one: Spoken): void => {
        const text = `message ${spoken.indexOf(one)} version ${one.lines.length}`;
        sandbox.edit(general, one.message, text);
        one.lines.push(`alice (edited): ${text}`);
      };
      const remove = (ones: readonly Spoken[]): void => {
        for (const one of ones) {
          one.gone = true;
          one.lines.push(`[message deleted] ${way.messageId(one.message)} by alice`);
        }
        if (ones.length === 1) sandbox.delete(general, (ones[0] as Spoken).message);
        else
          sandbox.bulkDelete(
            general,
            ones.map(({ message }) => message.id),
          );
      };
      const act = (): void => {
        const all = standing();
        const one = pick(all);
        const chance = random();
        if (!one || (chance < 0.4 && all.length < MOST_MESSAGES)) say();
        else if (chance < 0.7) edit(one);
        else if (chance < 0.95) remove([one]);
        else remove(all.slice(0, 5));
      };
      const disasters: Disaster[] = [
        ...disastersOf(room, way, act),
        async () => {
          scene.bridge.kill('SIGKILL');
          await scene.bridge.exited;
          for (let i = 0; i < 5; i++) act();
          scene = await openScene({ room, way, env, host: scene.host, registered: false, open: false });
        },
      ];

      for (let n = 0; n < OPERATIONS; n++) {
        act();
        if (n % 20 === 10) await disasters[((n / 10 - 1) / 2) % disasters.length]?.();
        if (random() < 0.05) await scene.reads();
        await sleep(random() * 20);
      }
      // What is deleted in bulk is seen, through a relay, by whoever looks again.
      way.cut();
      await vi.waitFor(() => expect(way.isConnected()).toBe(true), 30_000);
      const last = sandbox.post(general, alice, 'that is all');
      await scene.reports.of(way.eventId('create', last));
      await vi.waitFor(() => expectTruth(spoken, scene), { timeout: 30_000, interval: 500 });
    },
    120_000 + OPERATIONS * 500,
  );

survives(DISCORD, onDiscord);
survives(PORTAL, onPortal);

/** What is read of each message: a part of its history in order, nothing twice, with its present state last. */
const expectTruth = async (spoken: readonly Spoken[], scene: Scene): Promise<void> => {
  // A relay does not say of a message that was missed whether it was edited.
  const shown = (line: string): string => (scene.way.prefix === 'PORTAL' ? line.replace(' (edited)', '') : line);
  const read = (await scene.reads()).map(shown);
  for (const [id, { message, lines: all, gone }] of spoken.entries()) {
    const lines = all.map(shown);
    const mine = read.filter((line) => line.includes(`message ${id} version`) || line.includes(message.id));
    expect(mine).toEqual([...new Set(mine)].sort((a, b) => lines.indexOf(a) - lines.indexOf(b)));
    if (!gone || mine.length > 0) expect(mine.at(-1)).toBe(lines.at(-1));
  }
};
