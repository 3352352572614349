import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { FolderError, LmdbFolder } from './index.js';
import { isAlive, thisProcess } from './process-identity.js';

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const place = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'lmdb-folder-'));
  closers.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

/** Another process that opens the folder, keeps a value and holds on. */
const holder = async (path: string): Promise<{ kill(): Promise<unknown> }> => {
  const built = new URL('../dist/index.js', import.meta.url).href;
  const script = `
    import { LmdbFolder } from ${JSON.stringify(built)};
    const folder = new LmdbFolder(${JSON.stringify(path)}, 1);
    await folder.flushed(folder.table('t').put('k', 'kept'));
    console.log('open');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closers.push(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return {
    kill: () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      return exited;
    },
  };
};

describe('a folder', () => {
  it('belongs to one process: a second one is told who has it', async () => {
    const path = place();
    const other = await holder(path);
    expect(() => new LmdbFolder(path, 1)).toThrow(FolderError);
    expect(() => new LmdbFolder(path, 1)).toThrow(/is in use by process \d+; stop that one, or use another folder/);
    await other.kill();
    const mine = new LmdbFolder(path, 1);
    expect(mine.table<string, string>('t').get('k')).toBe('kept');
    await mine.close();
  });

  it('can be opened again when it was closed', async () => {
    const path = place();
    await new LmdbFolder(path, 1).close();
    await new LmdbFolder(path, 1).close();
  });

  it('of an older shape is brought up to date, of a newer one refused', async () => {
    const path = place();
    const old = new LmdbFolder(path, 1);
    await old.flushed(old.table<string, string>('t').put('k', 'old'));
    await old.close();
    const migrated = new LmdbFolder(path, 3, (folder, from) => {
      folder.table<string, string>('t').putSync('k', `from ${from}`);
    });
    expect(migrated.table<string, string>('t').get('k')).toBe('from 1');
    await migrated.close();
    expect(() => new LmdbFolder(path, 2)).toThrow(/was written by a newer version \(schema 3\)/);
  });
});

it('a process is told from one that has its number after it', () => {
  const me = thisProcess();
  expect(isAlive(me)).toBe(true);
  expect(isAlive({ ...me, startedAt: '1' })).toBe(process.platform !== 'linux');
  expect(isAlive({ pid: 2 ** 22 + 1, startedAt: undefined })).toBe(false);
});
