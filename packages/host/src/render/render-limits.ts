import type { Batch } from '../core/batch.js';
import type { RenderEnd } from '../core/deferred.js';

export interface RenderLimits {
  /** How long an assembly waits for one batch, whatever it waits for, ms. Default 5,000 (RFC-006 §5.3). */
  readonly timeoutMs: number;
  /** Most renders under way at once; others wait their turn inside their own time. Default 64. */
  readonly maxConcurrent: number;
  /** Most bytes of content, as JSON, that one render may bring. Default 1 MiB. */
  readonly maxBytes: number;
}

export const DEFAULT_RENDER_LIMITS: RenderLimits = { timeoutMs: 5000, maxConcurrent: 64, maxBytes: 1024 * 1024 };

/** Asks a batch's server for its content within `timeoutMs`; never rejects. */
export type AskForRender = (batch: Batch, timeoutMs: number) => Promise<RenderEnd>;

/**
 * Renders within limits: a batch that gets no turn in its time, and one that brings more than it may, falls back. No
 * number of batches makes an assembly wait longer than one of them may take.
 */
export class LimitedRenders {
  private underWay = 0;
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly ask: AskForRender,
    private readonly limits: RenderLimits,
  ) {}

  async render(batch: Batch): Promise<RenderEnd> {
    const { timeoutMs, maxConcurrent } = this.limits;
    const before = performance.now();
    if (this.underWay < maxConcurrent) this.underWay += 1;
    else if (!(await this.turn())) return { kind: 'fallback', why: `no turn among ${maxConcurrent} renders in time` };
    try {
      return this.measured(await this.ask(batch, Math.max(1, timeoutMs - (performance.now() - before))));
    } finally {
      this.handOver();
    }
  }

  /** Waits until another render hands its place over. Resolves to false when the time is over first. */
  private turn(): Promise<boolean> {
    return new Promise((resolve) => {
      const take = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.waiting.delete(take);
        resolve(false);
      }, this.limits.timeoutMs);
      this.waiting.add(take);
    });
  }

  private handOver(): void {
    const [next] = this.waiting;
    if (!next) {
      this.underWay -= 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }

  private measured(end: RenderEnd): RenderEnd {
    if (end.kind !== 'rendered') return end;
    const bytes = Buffer.byteLength(JSON.stringify(end.content));
    if (bytes <= this.limits.maxBytes) return end;
    return { kind: 'fallback', why: `rendered ${bytes} bytes of at most ${this.limits.maxBytes}` };
  }
}
