import type { McplWire } from '@mcpl-bridges/transport';
import { type Grant, type OperatorPolicy, policyMessage } from './grant.js';

/** How a server is told what it may do (SPEC §5.3, §6.7), rightly and otherwise. */
export class PolicyExchange {
  constructor(
    private readonly wire: McplWire,
    private readonly timeoutMs: number,
  ) {}

  /**
   * @param onReceipt runs at once, before anything that the server sent behind its receipt: it already relies on it
   */
  tell(
    grant: Grant,
    policy: OperatorPolicy,
    onReceipt: (result: Record<string, unknown>) => void,
  ): Promise<Record<string, unknown>> {
    return this.wire.request('featureSets/update', policyMessage(grant, policy), {
      timeoutMs: this.timeoutMs,
      onResult: onReceipt,
    });
  }

  /** A grant in a Notification: nothing comes of it but its `disabled` (SPEC §6.7). */
  announce(grant: Grant, policy: OperatorPolicy): void {
    this.wire.notify('featureSets/update', policyMessage(grant, policy));
  }

  /** All that a 0.4 host ever says. */
  notify({ enabled, disabled }: OperatorPolicy): void {
    const params = { ...(enabled ? { enabled } : {}), ...(disabled ? { disabled } : {}) };
    if (Object.keys(params).length > 0) this.wire.notify('featureSets/update', params);
  }

  /** A policy without a grant grants nothing (SPEC §5.4). */
  async tellNothing(): Promise<undefined> {
    await this.wire.request('featureSets/update', {}, { timeoutMs: this.timeoutMs });
  }

  /** A policy that grants and denies the same. Whatever the server answers, nothing is granted. */
  async tellContradiction(grant: Grant, policy: OperatorPolicy): Promise<void> {
    const message = policyMessage(grant, policy);
    const contradiction = { ...message, deniedCapabilities: message.effectiveCapabilities?.slice(0, 1) ?? [] };
    await this.wire.request('featureSets/update', contradiction, { timeoutMs: this.timeoutMs }).catch(() => undefined);
  }
}
