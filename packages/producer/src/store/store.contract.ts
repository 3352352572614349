import { ALL_LEAVES } from '@mcpl-bridges/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Occurrence } from '../occurrence/occurrence.js';
import { toWire, type WireForm } from '../occurrence/wire-form.js';
import type { Store, StoreStep } from './store.js';

export const occurrence = (n: number, text = `text ${n}\t{ü\n}`): Occurrence => ({
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

/** A form of `occurrence`, now on one lane and now on another. */
export const wire = (n: number, of = occurrence(n)): WireForm =>
  toWire(of, n % 2 === 1 ? { kind: 'channel-push' } : { kind: 'incoming', coalesce: false }, ALL_LEAVES);

export const append = (seq: number, text?: string): StoreStep => ({
  kind: 'append',
  seq,
  occurrence: occurrence(seq, text),
});

export const attempt = (seq: number, windowMs = 3_600_000, of = occurrence(seq)): StoreStep => ({
  kind: 'attempt',
  seq,
  wire: wire(seq, of),
  windowMs,
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
    /** What is kept, as the next process finds it. */
    const kept = async () => {
      if (maker.lasting) {
        await store.close();
        store = await maker.open();
      }
      return store.load();
    };
    const entries = async () => (await kept()).entries;

    it('is empty at first', async () => {
      expect(await store.load()).toEqual({ entries: [], lastSeq: 0 });
      expect(await store.deadLetters(9)).toEqual([]);
    });

    it('gives entries back in the order of their numbers, whole', async () => {
      await store.commit([append(1), append(2)]);
      await store.commit([append(9), append(10)]);
      expect(await kept()).toEqual({
        entries: [1, 2, 9, 10].map((seq) => ({ seq, occurrence: occurrence(seq) })),
        lastSeq: 10,
      });
    });

    it('knows the last number though all that had one be gone', async () => {
      await store.commit([append(1), append(2), { kind: 'forget', seq: 1 }]);
      await store.commit([{ kind: 'forget', seq: 2 }]);
      expect(await kept()).toEqual({ entries: [], lastSeq: 2 });
    });

    it('replaces what was never attempted, and nothing that is not there', async () => {
      await store.commit([append(1)]);
      await store.commit([
        { kind: 'amend', seq: 1, occurrence: occurrence(1, 'new text') },
        { kind: 'amend', seq: 7, occurrence: occurrence(7) },
      ]);
      expect((await entries()).map((entry) => entry.occurrence)).toEqual([occurrence(1, 'new text')]);
    });

    it('keeps what the first attempt sent, and the shortest window of all attempts', async () => {
      const [first] = await store.commit([append(1), attempt(1, 7_200_000)]);
      expect(first?.windowMs).toBe(7_200_000);
      // The store looks at its clock more than once.
      expect(first?.elapsedMs).toBeLessThan(1000);
      const again = { ...attempt(1, 3_600_000), wire: wire(9) } as StoreStep;
      expect((await store.commit([again]))[0]?.windowMs).toBe(3_600_000);
      const [third] = await store.commit([attempt(1, 7_200_000)]);
      expect(third?.windowMs).toBe(3_600_000);
      expect(third?.elapsedMs).toBeGreaterThanOrEqual(0);
      expect((await entries())[0]?.wire).toEqual(wire(1));
    });

    it('answers for each attempt of a commit, in order', async () => {
      await store.commit([append(1), attempt(1, 5000)]);
      const clocks = await store.commit([append(2), attempt(2, 2000), attempt(1, 1000), append(3), attempt(3, 3000)]);
      expect(clocks.map(({ windowMs }) => windowMs)).toEqual([2000, 1000, 3000]);
    });

    it('takes over how much time has passed where it is told again', async () => {
      const told = { ...attempt(1), sinceMs: 60_000 } as StoreStep;
      const [clock] = await store.commit([append(1), told], true);
      expect(clock?.elapsedMs).toBeGreaterThanOrEqual(60_000);
      expect(clock?.elapsedMs).toBeLessThan(65_000);
    });

    it('is no different for a commit that is made twice', async () => {
      const steps: StoreStep[] = [
        append(1),
        attempt(1),
        append(2),
        append(3),
        { kind: 'forget', seq: 2 },
        { kind: 'bury', seq: 3, reason: 'expired' },
        { kind: 'record', key: 'a', value: 1 },
      ];
      await store.commit(steps);
      const before = [await kept(), await store.read('a')];
      await store.commit(steps);
      expect([await kept(), await store.read('a')]).toEqual(before);
    });

    it('keeps what is given up as a dead letter with its reason, newest last, once', async () => {
      await store.commit([1, 2, 3].map((seq) => append(seq)));
      await store.commit([attempt(2), { kind: 'bury', seq: 1, reason: 'unbounded' }]);
      await store.commit([
        { kind: 'bury', seq: 2, reason: 'refused: no' },
        { kind: 'bury', seq: 3, reason: 'expired' },
        { kind: 'bury', seq: 3, reason: 'expired' },
      ]);
      expect(await entries()).toEqual([]);
      expect(await store.deadLetters(2)).toEqual([
        { occurrence: occurrence(2), reason: 'refused: no' },
        { occurrence: occurrence(3), reason: 'expired' },
      ]);
      expect(await store.deadLetters(9)).toHaveLength(3);
    });

    it('keeps records of any key beside the outbox, and deletes them', async () => {
      const long = 'é'.repeat(5000);
      await store.commit([
        append(1),
        { kind: 'record', key: 'a', value: { n: 1 } },
        { kind: 'record', key: long, value: 'long' },
        { kind: 'record', key: `${long}!`, value: null },
      ]);
      await store.commit([{ kind: 'record', key: 'a', value: undefined }]);
      expect(await Promise.all(['a', long, `${long}!`, 'b'].map((key) => store.read(key)))).toEqual([
        undefined,
        'long',
        null,
        undefined,
      ]);
    });

    it('takes a thousand steps at once', async () => {
      await store.commit(Array.from({ length: 500 }, (_, i) => [append(i + 1), attempt(i + 1)]).flat());
      expect(await entries()).toHaveLength(500);
      await store.commit(Array.from({ length: 500 }, (_, i) => ({ kind: 'forget' as const, seq: i + 1 })));
      expect(await entries()).toEqual([]);
    });

    it('remembers over a restart, if it lasts', async () => {
      await store.commit([append(1), attempt(1), { kind: 'record', key: 'a', value: 1 }]);
      await store.commit([append(2), { kind: 'forget', seq: 2 }]);
      await store.close();
      store = await maker.open();
      const loaded = await store.load();
      if (!maker.lasting) {
        expect(loaded).toEqual({ entries: [], lastSeq: 0 });
        return;
      }
      expect(loaded).toEqual({ entries: [{ seq: 1, occurrence: occurrence(1), wire: wire(1) }], lastSeq: 2 });
      expect(await store.read('a')).toBe(1);
      const [clock] = await store.commit([attempt(1, 7_200_000)]);
      expect(clock?.windowMs).toBe(3_600_000);
      expect(clock?.elapsedMs).not.toBe('unknown');
    });
  });
};
