/** Where time comes from. */
export interface Clock {
  /** ms since the Unix epoch. */
  now(): number;
}

const startedAt = Date.now() - performance.now();

export const systemClock: Clock = {
  // Starts with the wall's clock and goes on by itself: whoever sets that one forwards must not end retry windows early.
  now: () => startedAt + performance.now(),
};
