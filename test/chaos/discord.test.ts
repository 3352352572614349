import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '@mcpl-bridges/sandbox';
import { expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { randomOf } from '../helpers/random.js';
import { eventIdOf, openRoom, openScene, type Scene } from '../helpers/scene.js';

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

it(
  `whatever becomes of the connection and the bridge, the agent reads what the channel says, nothing twice (${OPERATIONS} operations, seed ${SEED})`,
  async () => {
    const random = randomOf(SEED);
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
    const path = mkdtempSync(join(tmpdir(), 'mcpl-room-'));
    afterThisTest(async () => rmSync(path, { recursive: true, force: true }));
    const room = await openRoom();
    const { sandbox, general, alice } = room;
    const env = { MCPL_STORE: `lmdb:${path}`, MCPL_LOG_LEVEL: 'warn' };
    let scene: Scene = await openScene({ room, env });
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
        one.lines.push(`[message deleted] ${one.message.id} by alice`);
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
    const disasters: (() => void | Promise<void>)[] = [
      () => sandbox.gateway.cutSockets(),
      () => sandbox.gateway.closeSockets(4000),
      () => sandbox.gateway.askToReconnect(),
      () => sandbox.gateway.invalidateSessions(false),
      () => {
        sandbox.gateway.forgetSessions();
        sandbox.gateway.cutSockets();
      },
      () => {
        sandbox.gateway.dropNextDispatches(3);
        for (let i = 0; i < 3; i++) act();
        sandbox.gateway.cutSockets();
      },
      () => sandbox.gateway.replayLast(10),
      async () => {
        scene.bridge.kill('SIGKILL');
        await scene.bridge.exited;
        for (let i = 0; i < 5; i++) act();
        scene = await openScene({ room, env, host: scene.host, registered: false, open: false });
      },
    ];

    for (let n = 0; n < OPERATIONS; n++) {
      act();
      if (n % 20 === 10) await disasters[((n / 10 - 1) / 2) % disasters.length]?.();
      if (random() < 0.05) await scene.reads();
      await sleep(random() * 20);
    }
    await vi.waitFor(() => expect(sandbox.gateway.connected).toBe(1), 30_000);
    const last = sandbox.post(general, alice, 'that is all');
    await scene.reports.of(eventIdOf.create(last));
    await vi.waitFor(() => expectTruth(spoken, scene), { timeout: 30_000, interval: 500 });
  },
  120_000 + OPERATIONS * 500,
);

/** What is read of each message: a part of its history in order, nothing twice, with its present state last. */
const expectTruth = async (spoken: readonly Spoken[], scene: Scene): Promise<void> => {
  const read = await scene.reads();
  for (const [id, { message, lines, gone }] of spoken.entries()) {
    const mine = read.filter((line) => line.includes(`message ${id} version`) || line.includes(message.id));
    expect(mine).toEqual([...new Set(mine)].sort((a, b) => lines.indexOf(a) - lines.indexOf(b)));
    if (!gone || mine.length > 0) expect(mine.at(-1)).toBe(lines.at(-1));
  }
};
