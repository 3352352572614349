import { expect, it } from 'vitest';
import { filesEndingIn, read } from './files.js';

const MAX_LINES = 400;

it(`keeps every source file under ${MAX_LINES + 1} lines`, () => {
  const long = filesEndingIn('.ts', '.mjs', '.js')
    .map((path) => ({ path, lines: read(path).split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES);
  expect(long).toEqual([]);
});
