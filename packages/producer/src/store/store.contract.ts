import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Occurrence } from '../occurrence/occurrence.js';
import type { WireForm } from '../occurrence/wire-form.js';
import type { Store } from './store.js';

const occurrence = (n: number, text = `text ${n}`): Occurrence => ({
  kind: 'message',
  eventId: `chat:create:${n}`,
  action: 'create',
  channelId: 'chat:room',
  messageId: String(n),
  key: `message:${n}`,
  initial: true,
  featureSet: 'chat.messaging',
  author: { id: 'u', name: 'älice 🦊' },
  timestamp: '2026-01-01T00:00:00Z',
  content: [{ type: 'text', text }],
  tags: [],
  origin: { nested: { z: 1, a: [null, true] } },
});

const wire = (n: number): WireForm => ({
  method: 'push/event',
  coalesced: true,
  params: { z: 1, eventId: `chat:create:${n}`, a: { y: 'ü', b: [] } },
});

export interface StoreMaker {
  /** A store over what an earlier one of the same maker left behind, if it lasts at all. */
  open(): Promise<Store>;
  dispose(): Promise<void>;
  /** Whether another `open` sees what was stored before. */
  readonly lasting: boolean;
}

/** What every store must do. */
export const describeStore = (name: string, make: () => Promise<StoreMaker>): void => {
  describe(`the ${name} store`, () => {
    let maker: StoreMaker;
    let store: Store;
    beforeEach(async () => {
      maker = await make();
      store = await maker.open();
    });
    afterEach(async () => {
      await store.close();
      await maker.dispose();
    });

    it('gives entries back in the order they were appended, whole', async () => {
      for (const n of [1, 2, 3]) await store.append(occurrence(n));
      const loaded = await store.load();
      expect(loaded.map((entry) => entry.occurrence)).toEqual([1, 2, 3].map((n) => occurrence(n)));
      expect(loaded.map((entry) => entry.seq)).toEqual([...loaded.map((entry) => entry.seq)].sort((a, b) => a - b));
    });

    it('replaces and removes what was never attempted', async () => {
      const first = await store.append(occurrence(1));
      const second = await store.append(occurrence(2));
      await store.amend(first.seq, occurrence(1, 'new text'));
      await store.drop(second.seq);
      expect((await store.load()).map((entry) => entry.occurrence)).toEqual([occurrence(1, 'new text')]);
    });

    it('keeps what the first attempt sent, and the shortest window of all attempts', async () => {
      const { seq } = await store.append(occurrence(1));
      expect(await store.attempt(seq, wire(1), 7_200_000)).toEqual({
        elapsedMs: expect.any(Number),
        windowMs: 7_200_000,
      });
      expect((await store.attempt(seq, wire(9), 3_600_000)).windowMs).toBe(3_600_000);
      const third = await store.attempt(seq, wire(9), 7_200_000);
      expect(third.windowMs).toBe(3_600_000);
      expect(third.elapsedMs).toBeGreaterThanOrEqual(0);
      expect(JSON.stringify((await store.load())[0]?.wire)).toBe(JSON.stringify(wire(1)));
    });

    it('forgets what is settled', async () => {
      const { seq } = await store.append(occurrence(1));
      await store.attempt(seq, wire(1), 1000);
      await store.settle(seq);
      expect(await store.load()).toEqual([]);
    });

    it('keeps what is given up as a dead letter with its reason, newest last', async () => {
      for (const n of [1, 2, 3]) {
        const { seq } = await store.append(occurrence(n));
        await store.bury(seq, n === 3 ? 'expired' : 'refused: no');
      }
      expect(await store.load()).toEqual([]);
      expect(await store.deadLetters(2)).toEqual([
        { occurrence: occurrence(2), reason: 'refused: no' },
        { occurrence: occurrence(3), reason: 'expired' },
      ]);
    });

    it('buries an entry once', async () => {
      const { seq } = await store.append(occurrence(1));
      await store.bury(seq, 'expired');
      await store.bury(seq, 'expired');
      expect(await store.deadLetters(10)).toHaveLength(1);
    });

    it('writes records with the occurrence they belong to, and deletes them', async () => {
      const { seq } = await store.append(occurrence(1), [{ key: 'a', value: { n: 1 } }]);
      await store.amend(seq, occurrence(1), [{ key: 'b', value: 'two' }]);
      await store.settle(seq, [{ key: 'c', value: null }]);
      await store.write([{ key: 'a', value: undefined }]);
      expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.read(key)))).toEqual([
        undefined,
        'two',
        null,
        undefined,
      ]);
    });

    it('remembers over a restart, if it lasts', async () => {
      const { seq } = await store.append(occurrence(1), [{ key: 'a', value: 1 }]);
      await store.attempt(seq, wire(1), 3_600_000);
      await store.close();
      store = await maker.open();
      const loaded = await store.load();
      if (!maker.lasting) {
        expect(loaded).toEqual([]);
        return;
      }
      expect(loaded).toEqual([{ seq, occurrence: occurrence(1), wire: wire(1) }]);
      expect(await store.read('a')).toBe(1);
      const clock = await store.attempt(seq, wire(1), 7_200_000);
      expect(clock.windowMs).toBe(3_600_000);
      expect((await store.append(occurrence(2))).seq).toBeGreaterThan(seq);
    });
  });
};
