/** What is to go wrong with the next matching requests. */
export type Fault =
  | {
      readonly kind: 'rate-limit';
      /** Seconds until the client may try again. */
      readonly retryAfter: number;
      readonly global?: boolean;
    }
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** The body is cut short and is no JSON. */
  | { readonly kind: 'malformed' }
  /** The request takes effect, but the connection is cut before its answer. */
  | { readonly kind: 'lose-answer' }
  /** The connection is cut before the request takes effect. */
  | { readonly kind: 'refuse-connection' }
  | { readonly kind: 'delay'; readonly ms: number };

export interface FaultPlan {
  readonly method?: string;
  /** Matches the path after `/api/v10`. */
  readonly path?: RegExp;
  /** How many requests it strikes. Default 1. */
  readonly times?: number;
  readonly fault: Fault;
}

/** Faults waiting for the requests they are meant for, first planned first struck. */
export class Faults {
  private readonly plans: { plan: FaultPlan; left: number }[] = [];

  plan(plan: FaultPlan): void {
    this.plans.push({ plan, left: plan.times ?? 1 });
  }

  take(method: string, path: string): Fault | undefined {
    const at = this.plans.findIndex(
      ({ plan }) => (!plan.method || plan.method === method) && (!plan.path || plan.path.test(path)),
    );
    const found = this.plans[at];
    if (!found) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.plans.splice(at, 1);
    return found.plan.fault;
  }
}
