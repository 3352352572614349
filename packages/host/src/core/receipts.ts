import type { CoalesceResult } from '@mcpl-bridges/protocol';
import { TrackedMap } from './tracked-map.js';

/** The answer an admitted occurrence got, and gets again on every retry inside the window (RFC-006 §3.1). */
export interface Receipt {
  readonly coalesce?: CoalesceResult;
}

export interface Kept {
  /** The record that admitted it. */
  readonly n: number;
  readonly receipt: Receipt;
  /** When the window advertised at admission ends, ms of the host's clock. */
  readonly until: number;
}

/** Receipts by binding and occurrence. */
export class Receipts {
  /** In the order of admission. */
  readonly kept = new TrackedMap<string, Kept>();
  // Goes on where it stopped: a walk that began anew each time would have to pass the holes of all that has expired.
  private walk = this.kept.entries();
  private oldest: [string, Kept] | undefined;

  keep(id: string, kept: Kept): void {
    this.kept.delete(id);
    this.kept.set(id, kept);
  }

  find(id: string, now: number): Receipt | undefined {
    const kept = this.kept.get(id);
    return kept && now < kept.until ? kept.receipt : undefined;
  }

  /**
   * Frees receipts whose window has passed. Stops at the first that is alive: windows change rarely, so the order of
   * admission is nearly that of expiry.
   */
  prune(now: number): void {
    for (;;) {
      this.oldest ??= this.next();
      if (!this.oldest) return;
      const [id, kept] = this.oldest;
      if (this.kept.get(id) === kept) {
        if (now < kept.until) return;
        this.kept.delete(id);
      }
      this.oldest = undefined;
    }
  }

  private next(): [string, Kept] | undefined {
    const step = this.walk.next();
    if (!step.done) return step.value;
    // A walk that has come to its end sees nothing that is added later.
    this.walk = this.kept.entries();
    const first = this.walk.next();
    return first.done ? undefined : first.value;
  }
}

export const receiptId = (binding: string, eventId: string): string => JSON.stringify([binding, eventId]);
