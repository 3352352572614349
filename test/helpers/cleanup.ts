import { afterEach } from 'vitest';

const closers: (() => Promise<unknown>)[] = [];

/** Runs after the current test, last registered first, whatever becomes of the others. */
export const afterThisTest = (close: () => Promise<unknown>): void => {
  closers.push(close);
};

afterEach(async () => {
  const failures: unknown[] = [];
  for (const close of closers.splice(0).reverse()) await close().catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
});
