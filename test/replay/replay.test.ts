import { beforeAll, describe, expect, it } from 'vitest';
import { DISCORD, type PlatformUnderTest, PORTAL, type Way } from '../helpers/platforms.js';
import { randomOf } from '../helpers/random.js';
import { DISCORD_FAULTS, PORTAL_FAULTS } from './faults.js';
import { type Fault, type Outcome, playAll } from './player.js';
import { CONTENTS } from './sequences/contents.js';
import { MESSAGES } from './sequences/messages.js';
import { PLACES } from './sequences/places.js';

const SEQUENCES = [...MESSAGES, ...PLACES, ...CONTENTS];

/** How often everything is played with faults; `npm run soak` asks for more. */
const RUNS = Number(process.env.MCPL_REPLAY_RUNS ?? 1);
const SEED = Number(process.env.MCPL_SEED ?? Date.now() % 1_000_000);

/** Whoever asks for a message gets links to its files that last longer. */
const withoutExpiry = (line: string): string => line.replace(/\?ex=[^\]]*/, '');

const inAnyOrder = (looks: readonly (readonly string[])[]): string[][] =>
  looks.map((lines) => lines.map(withoutExpiry).sort());

const replay = <W extends Way>(platform: PlatformUnderTest<W>, faults: readonly Fault<W>[]): void => {
  const sequences = SEQUENCES.filter(({ on }) => on?.includes(platform.name) ?? true);
  const names = sequences.map(({ name }) => name);

  describe(`what people do on Discord, through ${platform.name}-mcpl`, () => {
    let outcomes: ReadonlyMap<string, Outcome>;
    beforeAll(async () => {
      outcomes = await playAll(platform, sequences);
    }, 120_000);

    it.each(names)('%s', (name) => {
      const { read, expected } = outcomes.get(name) as Outcome;
      expect(read).toEqual(expected);
    });
  });

  describe.each(Array.from({ length: RUNS }, (_, n) => SEED + n))(
    `the same with connections that are cut, sessions that end, a bridge that is killed, and news that come twice (${platform.name}, seed %i)`,
    (seed) => {
      let outcomes: ReadonlyMap<string, Outcome>;
      beforeAll(async () => {
        const random = randomOf(seed);
        // Every fault comes up, in an order of its own.
        const order = faults.map((fault) => ({ fault, at: random() })).sort((a, b) => a.at - b.at);
        outcomes = await playAll(platform, sequences, (round) => order[round % order.length]?.fault);
      }, 240_000);

      it.each(names)('%s', (name) => {
        const { read, expected } = outcomes.get(name) as Outcome;
        expect(inAnyOrder(read)).toEqual(inAnyOrder(expected));
      });
    },
  );
};

replay(DISCORD, DISCORD_FAULTS);
replay(PORTAL, PORTAL_FAULTS);
