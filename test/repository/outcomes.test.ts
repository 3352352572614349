import { expect, it } from 'vitest';
import { filesEndingIn, read } from './files.js';

const OUTCOMES = /\boutcome\b(?!_unknown)|['"](first|replaced|appended|retracted|noted|consumed)['"]/;

it('no producer looks at an outcome: it is the host that knows what was read', () => {
  const looking = filesEndingIn('.ts')
    .filter(
      (path) =>
        /^(packages\/(producer|chat)|apps\/discord-mcpl)\/src\//.test(path) && !/\.(test|contract)\.ts$/.test(path),
    )
    .filter((path) => OUTCOMES.test(read(path).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')));
  expect(looking).toEqual([]);
});
