import { describe, expect, it } from 'vitest';
import { filesEndingIn, read } from './files.js';

/** From top to bottom: a package may import what stands below it, never its own row or above. */
const LAYERS = [
  ['apps/demo'],
  ['apps/discord-mcpl', 'apps/portal-mcpl', 'apps/mcpl-host'],
  ['packages/chat'],
  ['packages/presence'],
  ['packages/producer'],
  ['packages/host'],
  ['packages/conformance'],
  ['packages/sandbox'],
  ['packages/transport', 'packages/lmdb-folder', 'packages/portal-client'],
  ['packages/protocol', 'packages/transient-map'],
];

const rowOf = new Map(LAYERS.flatMap((row, index) => row.map((folder) => [folder, index] as const)));
const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/');
const packageFolder = (specifier: string): string | undefined => {
  const scoped = /^@mcpl-bridges\/([^/]+)/.exec(specifier)?.[1];
  if (scoped) return rowOf.has(`packages/${scoped}`) ? `packages/${scoped}` : `apps/${scoped}`;
  const app = /^(discord-mcpl|portal-mcpl|mcpl-host)(?:\/|$)/.exec(specifier)?.[1];
  return app && `apps/${app}`;
};

const importsOf = (source: string): string[] =>
  [...source.matchAll(/(?:from\s+|import\s+|import\(\s*|import\.meta\.resolve\(\s*)['"]([^'"]+)['"]/g)].map(
    (match) => match[1] ?? '',
  );

const upward = (path: string, source: string): string[] => {
  const row = rowOf.get(folderOf(path)) ?? -1;
  return importsOf(source).flatMap((specifier) => {
    const target = packageFolder(specifier);
    if (target === undefined || target === folderOf(path)) return [];
    return (rowOf.get(target) ?? -1) > row ? [] : [`${path} imports ${specifier}`];
  });
};

const sources = filesEndingIn('.ts').filter((path) => /^(packages|apps)\//.test(path));

describe('the layout', () => {
  it('names every package there is', () => {
    const folders = new Set(
      filesEndingIn('package.json')
        .map(folderOf)
        .filter((path) => /^(packages|apps)\//.test(path)),
    );
    expect([...folders].sort()).toEqual([...rowOf.keys()].sort());
  });

  it('is imported downwards only', () => {
    expect(sources.flatMap((path) => upward(path, read(path)))).toEqual([]);
  });

  it('is also declared downwards only', () => {
    const wrong = [...rowOf.keys()].flatMap((folder) => {
      const { dependencies = {} } = JSON.parse(read(`${folder}/package.json`));
      return upward(
        `${folder}/package.json`,
        Object.keys(dependencies)
          .map((name) => `from '${name}'`)
          .join('\n'),
      );
    });
    expect(wrong).toEqual([]);
  });

  it('would catch an import upwards', () => {
    expect(upward('packages/protocol/src/x.ts', `import { a } from '@mcpl-bridges/host';`)).toHaveLength(1);
    expect(upward('packages/producer/src/x.ts', `import { a } from 'discord-mcpl';`)).toHaveLength(1);
    expect(upward('packages/producer/src/x.ts', `import { a } from '@mcpl-bridges/protocol';`)).toEqual([]);
  });
});
