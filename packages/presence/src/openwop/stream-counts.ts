import { Refusal } from './errors.js';

/** When it is worth trying again, s. */
const RETRY_AFTER_S = 10;

/** How many streams each token has open. */
export class StreamCounts {
  private readonly counts = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** @returns what gives the place back, once @throws Refusal `rate_limited` */
  take(token: string): () => void {
    const count = this.counts.get(token) ?? 0;
    if (count >= this.most)
      throw new Refusal('rate_limited', `a token may have ${this.most} streams open; close one`, undefined, {
        'Retry-After': String(RETRY_AFTER_S),
      });
    this.counts.set(token, count + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.counts.get(token) ?? 1) - 1;
      if (left > 0) this.counts.set(token, left);
      else this.counts.delete(token);
    };
  }
}
