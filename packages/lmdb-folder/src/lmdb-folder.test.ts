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

/** A folder of the first shape, with three values of two tables. */
const oldFolder = async (path: string): Promise<void> => {
  const old = new LmdbFolder(path, 1);
  for (const key of ['a', 'b']) await old.flushed(old.table<number, string>('t').put(key, 1));
  await old.flushed(old.table<number, string>('dropped').put('c', 1));
  await old.close();
};

/** Adding twice shows, and so does what was taken away before its successor was written. */
const addOne = (folder: LmdbFolder, afterEach: () => void = () => {}): void => {
  const [kept, dropped] = [folder.table<number, string>('t'), folder.table<number, string>('dropped')];
  for (const { key, value } of [...dropped.getRange({})]) {
    dropped.clearSync();
    afterEach();
    kept.putSync(key, value);
  }
  for (const { key, value } of [...kept.getRange({})]) {
    kept.putSync(key, value + 1);
    afterEach();
  }
};

const contents = (folder: LmdbFolder): [string, number][] =>
  [...folder.table<number, string>('t').getRange({})].map(({ key, value }) => [key, value]);

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
    // Who was refused has not taken it.
    await new LmdbFolder(path, 3).close();
  });

  it.each([1, 2, 3, 4])('that could not be brought up to date is as it was: failed at write %i', async (failing) => {
    const path = place();
    await oldFolder(path);
    let writes = 0;
    const fail = () => {
      if (++writes === failing) throw new Error('no space left');
    };
    expect(() => new LmdbFolder(path, 2, (folder) => addOne(folder, fail))).toThrow('no space left');
    const migrated = new LmdbFolder(path, 2, (folder) => addOne(folder));
    expect(contents(migrated)).toEqual(Object.entries({ a: 2, b: 2, c: 2 }));
    await migrated.close();
  });

  it.each([1, 2, 3, 4])('whose process was killed while it was brought up to date: at write %i', async (killed) => {
    const path = place();
    await oldFolder(path);
    const script = `
      import { LmdbFolder } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
      let writes = 0;
      const kill = () => { if (++writes === ${killed}) process.kill(process.pid, 'SIGKILL'); };
      new LmdbFolder(${JSON.stringify(path)}, 2, (folder) => (${addOne})(folder, kill));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    const migrated = new LmdbFolder(path, 2, (folder) => addOne(folder));
    expect(contents(migrated)).toEqual(Object.entries({ a: 2, b: 2, c: 2 }));
    await migrated.close();
  });
});

it('a process is told from one that has its number after it', () => {
  const me = thisProcess();
  expect(isAlive(me)).toBe(true);
  expect(isAlive({ ...me, startedAt: '1' })).toBe(process.platform !== 'linux');
  expect(isAlive({ pid: 2 ** 22 + 1, startedAt: undefined })).toBe(false);
});
