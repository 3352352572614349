import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Occurrence } from '../occurrence/occurrence.js';
import { bootClock } from './boot-clock.js';
import { LmdbStore } from './lmdb-store.js';
import { describeStore } from './store.contract.js';

const folders: string[] = [];
const place = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'lmdb-store-'));
  folders.push(path);
  return path;
};
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

describeStore('LMDB', async () => {
  const path = place();
  return { open: async () => new LmdbStore({ path }), dispose: async () => {}, lasting: true };
});

const WINDOW = 3_600_000;
const WIRE = { method: 'push/event', coalesced: true, params: {} } as const;

/** The elapsed time that a second process finds, `laterMs` after the first attempt. */
const found = async (second: { bootId: string; now: () => number }) => {
  const path = place();
  const first = new LmdbStore({ path, clock: { bootId: 'this boot', now: () => 1_000_000 } });
  const { seq } = await first.append({ eventId: 'e' } as Occurrence);
  await first.attempt(seq, WIRE, WINDOW);
  await first.close();
  const store = new LmdbStore({ path, clock: second });
  const { elapsedMs } = await store.attempt(seq, WIRE, WINDOW);
  await store.close();
  return elapsedMs;
};

describe('a retry deadline in LMDB', () => {
  it('goes on in another process on the same boot', async () => {
    expect(await found({ bootId: 'this boot', now: () => 1_900_000 })).toBe(900_000);
  });

  it('is unknown after a reboot, and where the clock has gone back', async () => {
    expect(await found({ bootId: 'another boot', now: () => 1_900_000 })).toBe('unknown');
    expect(await found({ bootId: 'this boot', now: () => 999_999 })).toBe('unknown');
  });

  it('is kept by a clock that processes of one boot share', () => {
    const [a, b] = [bootClock(), bootClock()];
    if (process.platform === 'linux' || process.platform === 'darwin') expect(a.bootId).toBe(b.bootId);
    const before = a.now();
    expect(b.now() - before).toBeLessThan(1000);
  });
});

describe('the LMDB store', () => {
  it('keeps records of any key', async () => {
    const store = new LmdbStore({ path: place() });
    const long = 'é'.repeat(5000);
    await store.write([
      { key: long, value: 1 },
      { key: `${long}!`, value: 2 },
    ]);
    expect([await store.read(long), await store.read(`${long}!`)]).toEqual([1, 2]);
    await store.close();
  });

  it('never gives a number out twice', async () => {
    const path = place();
    const first = new LmdbStore({ path });
    const { seq } = await first.append({ eventId: 'e' } as Occurrence);
    await first.settle(seq);
    await first.close();
    const second = new LmdbStore({ path });
    expect((await second.append({ eventId: 'f' } as Occurrence)).seq).toBeGreaterThan(seq);
    await second.close();
  });
});
