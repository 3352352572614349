import { Refusal } from './errors.js';

/** How often each token may do something, counted minute by minute. */
export class RateLimit {
  private counts = new Map<string, number>();
  private until = 0;

  /** @param now monotonic, ms */
  constructor(
    private readonly perMinute: number,
    private readonly now: () => number,
  ) {}

  /** @throws Refusal `rate_limited` */
  take(token: string): void {
    const now = this.now();
    if (now >= this.until) {
      this.counts = new Map();
      this.until = now + 60_000;
    }
    const count = (this.counts.get(token) ?? 0) + 1;
    this.counts.set(token, count);
    if (count > this.perMinute)
      throw new Refusal('rate_limited', `a token may do this ${this.perMinute} times a minute`, undefined, {
        'Retry-After': String(Math.ceil((this.until - now) / 1000)),
      });
  }
}
