/** Discord's own epoch, ms: the first second of 2015. */
const DISCORD_EPOCH = 1_420_070_400_000n;

/** Makes ids as Discord does: time in the high bits, a counter in the low twelve; strictly ascending. */
export const snowflakes = (now: () => number): (() => string) => {
  let last = 0n;
  return () => {
    const floor = (BigInt(now()) - DISCORD_EPOCH) << 22n;
    last = floor > last ? floor : last + 1n;
    return last.toString();
  };
};

/** ms since the Unix epoch at which an id was made. */
export const snowflakeTime = (id: string): number => Number((BigInt(id) >> 22n) + DISCORD_EPOCH);
