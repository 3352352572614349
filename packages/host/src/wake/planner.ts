import type { WakeBehavior } from './rules.js';

/** Why an inference is to start: a subject with something unread, or the ordinary events of one rule. */
export type CauseId = string;

interface Cause {
  readonly firstAt: number;
  readonly dueAt: number;
  /** The deadline is the bound that more of the same cannot move. */
  readonly bounded: boolean;
}

/** A cause whose time has come. */
export interface DueCause {
  readonly cause: CauseId;
  readonly reason: 'quiet' | 'bound';
}

interface Plan {
  readonly causes: Map<CauseId, Cause>;
  lastStartAt: number;
}

/**
 * When each context's next inference is due. A coalesced subject has a deadline of its own, which its replacements move
 * only up to its bound and which moves nobody else's (RFC-006 §4.2). Pure: times are passed in, ms.
 */
export class WakePlanner {
  private readonly plans = new Map<string, Plan>();

  /** Something that qualifies, or no longer does, has become unread in `context`. */
  note(context: string, cause: CauseId, behavior: WakeBehavior, now: number): void {
    const plan = this.plan(context);
    if (behavior.kind === 'skip') {
      plan.causes.delete(cause);
      return;
    }
    const known = plan.causes.get(cause);
    const firstAt = known?.firstAt ?? now;
    const { dueAt, bounded } = deadline(behavior, firstAt, now, plan.lastStartAt);
    // A wake that is already due sooner is not put off by a quieter rule.
    const kept = known && behavior.kind !== 'debounce' && known.dueAt < dueAt ? known : { firstAt, dueAt, bounded };
    plan.causes.set(cause, kept);
  }

  /** The cause was taken back unread: it starts nothing any more. */
  withdraw(context: string, cause: CauseId): void {
    this.plans.get(context)?.causes.delete(cause);
  }

  /**
   * An inference of `context` starts now, for the causes that are due. The others keep their own time: an unrelated
   * event's quiet period is neither cut short nor drawn out, and finds nothing left to do if it was read by then.
   */
  start(context: string, now: number): DueCause[] {
    const plan = this.plan(context);
    plan.lastStartAt = now;
    const due: DueCause[] = [];
    for (const [cause, { dueAt, bounded }] of plan.causes) {
      if (dueAt > now) continue;
      plan.causes.delete(cause);
      due.push({ cause, reason: bounded ? 'bound' : 'quiet' });
    }
    return due;
  }

  /** When the next inference of any context is due, or `undefined`. */
  nextDue(): { readonly context: string; readonly at: number } | undefined {
    let next: { context: string; at: number } | undefined;
    for (const [context, plan] of this.plans)
      for (const { dueAt } of plan.causes.values()) if (!next || dueAt < next.at) next = { context, at: dueAt };
    return next;
  }

  private plan(context: string): Plan {
    const known = this.plans.get(context);
    if (known) return known;
    const fresh: Plan = { causes: new Map(), lastStartAt: Number.NEGATIVE_INFINITY };
    this.plans.set(context, fresh);
    return fresh;
  }
}

const deadline = (
  behavior: Exclude<WakeBehavior, { kind: 'skip' }>,
  firstAt: number,
  now: number,
  lastStartAt: number,
): { dueAt: number; bounded: boolean } => {
  switch (behavior.kind) {
    case 'immediate':
      return { dueAt: now, bounded: false };
    case 'debounce': {
      const bound = firstAt + Math.max(behavior.ms, behavior.maxMs);
      return { dueAt: Math.min(now + behavior.ms, bound), bounded: bound < now + behavior.ms };
    }
    case 'throttle':
      return { dueAt: Math.max(now, lastStartAt + behavior.perMs), bounded: false };
  }
};
