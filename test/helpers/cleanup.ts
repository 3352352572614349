import { afterEach } from 'vitest';

const closers: (() => Promise<unknown>)[] = [];

/** Runs after the current test, last registered first. */
export const afterThisTest = (close: () => Promise<unknown>): void => {
  closers.push(close);
};

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
