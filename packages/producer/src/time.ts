/** Where time and waiting come from, so that tests need no real minute to see one pass. */
export interface Time {
  /** Monotonic milliseconds; only differences mean anything. */
  monotonic(): number;
  /** Runs `action` once after `ms`; the returned function calls it off. */
  after(ms: number, action: () => void): () => void;
}

export const systemTime: Time = {
  monotonic: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};

/** Waits for `work`, but not longer than `ms`. @returns whether it is done @throws what `work` throws meanwhile */
export const doneWithin = async (time: Time, ms: number, work: Promise<unknown>): Promise<boolean> => {
  let callOff = (): void => {};
  const late = new Promise<false>((resolve) => {
    callOff = time.after(ms, () => resolve(false));
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    callOff();
  }
};
