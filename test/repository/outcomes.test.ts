import { expect, it } from 'vitest';
import { filesEndingIn, read } from './files.js';

/** Counts what hosts say, for whoever watches; nothing in a producer reads the counts. */
const COUNTERS = 'packages/producer/src/outbox/counters.ts';
const COUNTED = /\bcounters\.read\(|\bcounts\b\.|\.outcomes\b/;
const OUTCOMES = /\boutcome\b(?!_unknown)|['"](first|replaced|appended|retracted|noted|consumed)['"]/;

it('no producer looks at an outcome: it is the host that knows what was read', () => {
  const looking = filesEndingIn('.ts')
    .filter(
      (path) =>
        /^(packages\/(producer|chat)|apps\/discord-mcpl)\/src\//.test(path) && !/\.(test|contract)\.ts$/.test(path),
    )
    .filter((path) => path !== COUNTERS)
    .filter((path) => {
      const code = read(path).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      // The one reader of the counters hands them out.
      return OUTCOMES.test(code) || COUNTED.test(code.replace('return this.counters.read()', ''));
    });
  expect(looking).toEqual([]);
});
