import type { PortalMessage } from '@mcpl-bridges/portal-client';
import { describe, expect, it } from 'vitest';
import { around } from './around.js';

const MINUTE = 60_000;

/** A channel with a message at each of these minutes, as a relay shows it: newest first, backwards only. */
const channel = (minutes: readonly number[]) => {
  const ids = minutes.map((minute) => BigInt(Math.round(minute * MINUTE) + 1_000_000_000) << 22n);
  const idAt = (minute: number): string => `rm_1_${ids[minutes.indexOf(minute)]}`;
  let pages = 0;
  return {
    idAt,
    pages: () => pages,
    history: async (_container: string, limit: number, before?: string) => {
      pages += 1;
      const end = before === undefined ? undefined : BigInt(before.split('_')[2] ?? 0);
      return ids
        .filter((id) => end === undefined || id < end)
        .slice(-limit)
        .reverse()
        .map((id) => ({ id: `rm_1_${id}` }) as PortalMessage);
    },
  };
};

const steps = (count: number, every: number): number[] => Array.from({ length: count }, (_, n) => n * every);

describe('messages around one', () => {
  it.each([
    ['in busy talk', 0.01],
    ['in slow talk', 30],
    ['where somebody speaks once a week', 7 * 24 * 60],
  ])('%s are those right before and after it', async (_what, every) => {
    const minutes = steps(300, every);
    const room = channel(minutes);
    const middle = minutes[150] as number;
    const found = (await around(room, '1', room.idAt(middle), 11)).map(({ id }) => id);
    expect(found).toEqual(minutes.slice(145, 156).map(room.idAt).reverse());
    expect(room.pages()).toBeLessThan(20);
  });

  it('at the end of a channel are what there is', async () => {
    const room = channel([0, 1, 2]);
    expect((await around(room, '1', room.idAt(2), 10)).map(({ id }) => id)).toEqual([2, 1, 0].map(room.idAt));
    expect(await around(room, '1', room.idAt(1), 1)).toMatchObject([{ id: room.idAt(1) }]);
  });
});
