import type { BurialReason } from '../store/store.js';

/** What happened since the process started, for whoever watches it. */
export interface Counts {
  readonly delivered: number;
  /** Attempts that came to nothing and are made again. */
  readonly retried: number;
  /** Given up, by reason; every refusal is `refused`. */
  readonly buried: Readonly<Record<string, number>>;
  /** What hosts said that they did with what was coalesced (RFC-006 §7). */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** The one place besides the log where a host's outcome goes: nothing reads it to decide anything (RFC-006 §2). */
export class Counters {
  private deliveries = 0;
  private retries = 0;
  private readonly burials = new Map<string, number>();
  private readonly outcomes = new Map<string, number>();

  delivered(): void {
    this.deliveries += 1;
  }

  retried(): void {
    this.retries += 1;
  }

  buried(reason: BurialReason): void {
    add(this.burials, reason.startsWith('refused') ? 'refused' : reason);
  }

  answered(result: Readonly<Record<string, unknown>> | undefined): void {
    const said = result?.coalesce;
    if (typeof said !== 'object' || said === null) return;
    const { outcome } = said as { outcome?: unknown };
    if (typeof outcome === 'string') add(this.outcomes, KNOWN.has(outcome) ? outcome : 'other');
  }

  read(): Counts {
    return {
      delivered: this.deliveries,
      retried: this.retries,
      buried: Object.fromEntries(this.burials),
      outcomes: Object.fromEntries(this.outcomes),
    };
  }
}

const KNOWN: ReadonlySet<string> = new Set(['first', 'replaced', 'appended', 'retracted', 'noted', 'consumed']);

const add = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
