import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Files that git knows or would add, by suffix; paths from the root. */
export const filesEndingIn = (...suffixes: readonly string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => suffixes.some((suffix) => path.endsWith(suffix)));

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
