import type { CoalescingLeaves, ContentBlock } from '@mcpl-bridges/protocol';
import type { Answer } from '@mcpl-bridges/transport';
import type { Route } from '../occurrence/lane.js';
import type { NoticeOccurrence, Occurrence } from '../occurrence/occurrence.js';
import type { WireForm } from '../occurrence/wire-form.js';

/** The connection, as far as sending is concerned. */
export interface Sender {
  /** The route for `occurrence` now, or why it has to wait. */
  route(occurrence: Occurrence): Route | { readonly kind: 'wait' } | { readonly kind: 'refused' };
  /** Whether nothing of what `occurrence` belongs to is to be said any more. */
  withholds(occurrence: Occurrence): boolean;
  /** Whether what was made of `occurrence` before may be sent now. */
  permits(occurrence: Occurrence, wire: WireForm): 'yes' | 'wait' | 'refused';
  /** Counts the policies that came, over all connections; what one of them refused waits for the next. */
  policyEpoch(): number;
  /** The retry window the host advertises now, ms. */
  retryWindowMs(): number;
  /** What the host offers now. */
  leaves(): CoalescingLeaves | undefined;
  /** Most messages the host is given in one request. */
  maxMessages(): number;
  /** @param params JSON @param answered called once, and once more with a result after a time-out */
  send(method: string, params: string, answered: (answer: Answer) => void): void;
  registerAgain(channelId: string): Promise<void>;
  /** What there is to say of `notices`, oldest first, to a host that cannot ask for it. Empty: nothing. */
  summarise(notices: readonly NoticeOccurrence[]): Promise<readonly ContentBlock[]>;
}
