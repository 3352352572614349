import type { Host, Turn } from './host.js';
import type { Model } from './model/model.js';

export interface AgentLoopOptions {
  readonly host: Host;
  readonly model: Model;
  readonly context?: string;
  /** How long it must be quiet before a turn starts, ms. Default 500. */
  readonly quietMs?: number;
  /** The longest that news may be put off by more news, ms. Default 5,000. */
  readonly maxWaitMs?: number;
  readonly onTurn: (turn: Turn) => void;
  readonly onError: (error: Error) => void;
}

/**
 * Runs an agent's turns as occurrences arrive: after a quiet moment, and never later than `maxWaitMs` after the first
 * of them (RFC-006 §4.2: replacement must not postpone without bound). Turns do not overlap; a turn with nothing unread
 * does not run.
 */
export class AgentLoop {
  private firstNewsAt: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running = false;

  constructor(private readonly options: AgentLoopOptions) {
    options.host.on('occurrence', this.news);
  }

  stop(): void {
    this.options.host.off('occurrence', this.news);
    clearTimeout(this.timer);
  }

  private readonly news = (): void => {
    const { quietMs = 500, maxWaitMs = 5000 } = this.options;
    const now = performance.now();
    this.firstNewsAt ??= now;
    clearTimeout(this.timer);
    const wait = Math.max(0, Math.min(quietMs, this.firstNewsAt + maxWaitMs - now));
    this.timer = setTimeout(() => void this.run(), wait);
  };

  private async run(): Promise<void> {
    if (this.running) {
      this.news();
      return;
    }
    this.firstNewsAt = undefined;
    const { host, model, context = 'main' } = this.options;
    if (!host.engine.hasNews(context)) return;
    this.running = true;
    try {
      const turn = await host.turnForNews(model, context);
      if (turn) this.options.onTurn(turn);
    } catch (error) {
      this.options.onError(error as Error);
    } finally {
      this.running = false;
    }
  }
}
