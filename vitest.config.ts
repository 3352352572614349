import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const packages = [
  'protocol',
  'transient-map',
  'lmdb-folder',
  'transport',
  'portal-client',
  'sandbox',
  'conformance',
  'host',
  'producer',
  'presence',
  'chat',
];

// Tests read the sources, so that an edit needs no build to be tested; child processes run what the build made.
const source = (path: string): string => fileURLToPath(new URL(`./packages/${path}/index.ts`, import.meta.url));
const alias = [
  { find: '@mcpl-bridges/chat/program', replacement: source('chat/src/program') },
  ...packages.map((name) => ({ find: `@mcpl-bridges/${name}`, replacement: source(`${name}/src`) })),
];

export default defineConfig({
  resolve: { alias },
  test: {
    // Most of a test's time is spent waiting for child processes.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'unit', include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts'] } },
      { extends: true, test: { name: 'end-to-end', include: ['test/**/*.test.ts'], testTimeout: 60_000 } },
    ],
  },
});
