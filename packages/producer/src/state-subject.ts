import type { ContentBlock } from '@mcpl-bridges/protocol';
import { checkedKey, type StateOccurrence } from './occurrence/occurrence.js';
import type { Outbox, Submitted } from './outbox/outbox.js';
import type { RecordWrite } from './store/store.js';

export interface SubjectPlace {
  readonly featureSet: string;
  /** Absent: the subject lives in its feature set. */
  readonly channelId?: string | undefined;
}

export interface StateFacts {
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

/** Where subjects without a message get what they need from. */
export interface SubjectContext {
  readonly outbox: Outbox;
  readonly newId: () => string;
  /** ISO 8601. */
  readonly now: () => string;
}

/**
 * Something that is true until it is otherwise: a gauge, a participant's presence. `set` says how it is now; a host that
 * has not shown the last word of it replaces that one.
 */
export class StateSubject {
  private readonly key: string;

  /** @throws RangeError when `key` is empty or longer than 256 bytes of UTF-8 */
  constructor(
    private readonly context: SubjectContext,
    private readonly place: SubjectPlace,
    key: string,
  ) {
    this.key = checkedKey(key);
  }

  set(facts: StateFacts): Promise<Submitted> {
    return this.submit('set', facts, facts.initial ?? false);
  }

  withdraw(correction: WithdrawFacts = {}): Promise<Submitted> {
    return this.submit('withdraw', { content: [], ...correction }, false);
  }

  private submit(action: 'set' | 'withdraw', facts: StateFacts, initial: boolean): Promise<Submitted> {
    const { outbox, newId, now } = this.context;
    const { featureSet, channelId } = this.place;
    const occurrence: StateOccurrence = {
      kind: 'state',
      action,
      eventId: newId(),
      featureSet,
      ...(channelId === undefined ? {} : { channelId }),
      key: this.key,
      initial,
      timestamp: facts.timestamp ?? now(),
      content: facts.content,
      tags: facts.tags ?? [],
      origin: facts.origin ?? {},
    };
    return outbox.submit(occurrence, facts.records);
  }
}
