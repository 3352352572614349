/** Where the sandbox takes its time from. */
export interface Clock {
  /** ms since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
