import { beforeAll, describe, expect, it } from 'vitest';
import { randomOf } from '../helpers/random.js';
import { FAULTS } from './faults.js';
import { type Outcome, playAll } from './player.js';
import { CONTENTS } from './sequences/contents.js';
import { MESSAGES } from './sequences/messages.js';
import { PLACES } from './sequences/places.js';

const SEQUENCES = [...MESSAGES, ...PLACES, ...CONTENTS];
const NAMES = SEQUENCES.map(({ name }) => name);

/** How often everything is played with faults; `npm run soak` asks for more. */
const RUNS = Number(process.env.MCPL_REPLAY_RUNS ?? 2);
const SEED = Number(process.env.MCPL_SEED ?? Date.now() % 1_000_000);

describe('what people do on Discord', () => {
  let outcomes: ReadonlyMap<string, Outcome>;
  beforeAll(async () => {
    outcomes = await playAll(SEQUENCES);
  }, 120_000);

  it.each(NAMES)('%s', (name) => {
    const { read, expected } = outcomes.get(name) as Outcome;
    expect(read).toEqual(expected);
  });
});

/** Whoever asks for a message gets links to its files that last longer. */
const withoutExpiry = (line: string): string => line.replace(/\?ex=[^\]]*/, '');

const inAnyOrder = (looks: readonly (readonly string[])[]): string[][] =>
  looks.map((lines) => lines.map(withoutExpiry).sort());

describe.each(Array.from({ length: RUNS }, (_, n) => SEED + n))(
  'the same with a connection that is cut, sessions that end, a bridge that is killed, and news that come twice (seed %i)',
  (seed) => {
    let outcomes: ReadonlyMap<string, Outcome>;
    beforeAll(async () => {
      const random = randomOf(seed);
      // Every fault comes up, in an order of its own.
      const order = FAULTS.map((fault) => ({ fault, at: random() })).sort((a, b) => a.at - b.at);
      outcomes = await playAll(SEQUENCES, (round) => order[round % order.length]?.fault);
    }, 240_000);

    it.each(NAMES)('%s', (name) => {
      const { read, expected } = outcomes.get(name) as Outcome;
      expect(inAnyOrder(read)).toEqual(inAnyOrder(expected));
    });
  },
);
