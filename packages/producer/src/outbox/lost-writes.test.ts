import { expect, it } from 'vitest';
import { Paper, PaperStore } from '../store/log/paper-store.testkit.js';
import { type Store, StoreLostWrites } from '../store/store.js';
import { occurrence, setUp } from './scripted-host.testkit.js';

/** A store that says of one commit, when it is released, that it has lost what there was. */
const forgetful = () => {
  const paper = new Paper();
  const disk = new PaperStore(paper, () => ({ epoch: 'a', at: 0 }));
  let loses = false;
  let release = (): void => {};
  const answer = new Promise<void>((resolve) => (release = resolve));
  const store: Store = {
    load: () => disk.load(),
    deadLetters: (limit) => disk.deadLetters(limit),
    read: (key) => disk.read(key),
    close: () => disk.close(),
    commit: async (steps, isRestated) => {
      if (!loses) return disk.commit(steps, isRestated);
      loses = false;
      paper.records = [];
      await answer;
      throw new StoreLostWrites('gone');
    },
  };
  return { store, lose: () => (loses = true), release: () => release() };
};

it('what was never sent is sent, however much the store has lost when its first attempt is recorded', async () => {
  const { store, lose, release } = forgetful();
  const { add, allow, wake, ids, settled } = await setUp([], {}, store);
  allow(false);
  const settlements = [await add(occurrence(1)), await add(occurrence(2))];
  expect(ids()).toEqual([]);
  lose();
  allow(true);
  await wake();
  release();
  await settled();
  expect(ids()).toEqual(['e1', 'e2']);
  expect(settlements.map((settlement) => settlement())).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }]);
  expect(await store.deadLetters(10)).toEqual([]);
});

it('what waits for its attempt to be recorded is sent, too, when the store has lost all before it', async () => {
  const { store, lose, release } = forgetful();
  const { submit, add, allow, wake, settle, ids, settled } = await setUp([], {}, store);
  allow(false);
  const earlier = await add(occurrence(1));
  lose();
  // This one's commit is under way, and will have come to nothing, when both attempts are left to the next one.
  const later = submit(occurrence(2));
  await settle();
  allow(true);
  await wake();
  release();
  await settled();
  expect(ids()).toEqual(['e1', 'e2']);
  expect([earlier(), later()]).toEqual([{ kind: 'delivered' }, { kind: 'delivered' }]);
  expect(await store.deadLetters(10)).toEqual([]);
});
