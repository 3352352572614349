import type { ContentBlock } from '@mcpl-bridges/protocol';
import { KeyedSubject } from './keyed-subject.js';
import type { StateOccurrence } from './occurrence/occurrence.js';
import type { Submitted } from './outbox/outbox.js';
import type { RecordWrite } from './store/store.js';

export interface StateFacts {
  /** What names this occurrence for good, wherever it is seen again. Default: a random one. */
  readonly eventId?: string;
  readonly content: readonly ContentBlock[];
  /** ISO 8601: as of when it is true. Default: now. */
  readonly timestamp?: string;
  readonly tags?: readonly string[];
  readonly origin?: Readonly<Record<string, unknown>>;
  /** Nothing was ever said under this key: it is a new gauge, a new visit. Default false (RFC-006 §3.3). */
  readonly initial?: boolean;
  /** Kept in the same step as the occurrence. */
  readonly records?: readonly RecordWrite[];
}

/** What is said to whoever has read a state that is no more; without it the state goes without a word. */
export type WithdrawFacts = Partial<Omit<StateFacts, 'initial'>>;

/**
 * Something that is true until it is otherwise: a gauge, a participant's presence. `set` says how it is now; a host that
 * has not shown the last word of it replaces that one.
 */
export class StateSubject extends KeyedSubject {
  set(facts: StateFacts): Promise<Submitted> {
    return this.submit('set', facts, facts.initial ?? false);
  }

  withdraw(correction: WithdrawFacts = {}): Promise<Submitted> {
    return this.submit('withdraw', { content: [], ...correction }, false);
  }

  private submit(action: 'set' | 'withdraw', facts: StateFacts, initial: boolean): Promise<Submitted> {
    const { outbox, now } = this.context;
    const occurrence: StateOccurrence = {
      kind: 'state',
      action,
      ...this.begin(facts.eventId),
      initial,
      timestamp: facts.timestamp ?? now(),
      content: facts.content,
      tags: facts.tags ?? [],
      origin: facts.origin ?? {},
    };
    return outbox.submit(occurrence, facts.records);
  }
}
