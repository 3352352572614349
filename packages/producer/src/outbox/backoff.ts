export interface BackoffOptions {
  /** Upper bound of the first pause, ms. */
  readonly baseMs: number;
  /** Upper bound of any pause, ms. */
  readonly maxMs: number;
}

const DEFAULT_BACKOFF: BackoffOptions = { baseMs: 250, maxMs: 30_000 };

/**
 * Full-jitter exponential backoff: a pause between 0 and `min(maxMs, baseMs · 2^attempt)`.
 * @param attempt 0 after the first failure
 * @param random in [0, 1)
 */
export const backoffMs = (attempt: number, random: number, options: BackoffOptions = DEFAULT_BACKOFF): number =>
  Math.floor(random * Math.min(options.maxMs, options.baseMs * 2 ** Math.min(attempt, 30)));
