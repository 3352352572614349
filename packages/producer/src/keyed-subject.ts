import { checkedKey } from './occurrence/occurrence.js';
import type { Outbox } from './outbox/outbox.js';

/** Where a subject lives: in its channel, or in its feature set. */
export interface SubjectPlace {
  readonly featureSet: string;
  readonly channelId?: string;
}

/** Where subjects without a message get what they need from. */
export interface SubjectContext {
  readonly outbox: Outbox;
  readonly newId: () => string;
  /** ISO 8601. */
  readonly now: () => string;
}

/** A subject that its producer names by a key of its own. */
export abstract class KeyedSubject {
  private readonly key: string;

  /** @throws RangeError when `key` is empty or longer than 256 bytes of UTF-8 */
  constructor(
    protected readonly context: SubjectContext,
    private readonly place: SubjectPlace,
    key: string,
  ) {
    this.key = checkedKey(key);
  }

  /** What every occurrence of it begins with, under an id of its own unless it has one. */
  protected begin(eventId = this.context.newId()): SubjectPlace & { readonly eventId: string; readonly key: string } {
    return { eventId, ...this.place, key: this.key };
  }
}
