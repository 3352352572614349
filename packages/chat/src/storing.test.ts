import { expect, it } from 'vitest';
import { Storing } from './storing.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('as many are stored at once as may be; the next waits for the oldest, and a failure is told without stopping it', async () => {
  const failures: string[] = [];
  const storing = new Storing(({ message }) => failures.push(message), 3);
  const end: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  let handedOver = 0;
  const all = (async () => {
    for (let n = 0; n < 5; n++) {
      await storing.add(new Promise<void>((resolve, reject) => end.push({ resolve, reject })));
      handedOver += 1;
    }
  })();
  await turn();
  expect([end.length, handedOver]).toEqual([3, 2]);
  end[0]?.reject(new Error('no room on the disk'));
  await turn();
  expect([end.length, handedOver, failures]).toEqual([4, 3, ['no room on the disk']]);
  let isIdle = false;
  for (const one of end) one.resolve();
  await turn();
  void storing.idle().then(() => (isIdle = true));
  await turn();
  expect([end.length, isIdle]).toEqual([5, false]);
  end[4]?.resolve();
  await all;
  await turn();
  expect(isIdle).toBe(true);
});
