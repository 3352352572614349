import type { ContentBlock } from '@mcpl-bridges/protocol';
import { DigestSubject } from './digest/digest-subject.js';
import type { Digests } from './digest/digests.js';
import type { Renderer } from './digest/renderer.js';
import type { SubjectContext, SubjectPlace } from './keyed-subject.js';
import type { MessageSubject } from './message-subject.js';
import type { EventOccurrence } from './occurrence/occurrence.js';
import type { Submitted } from './outbox/outbox.js';
import { StateSubject } from './state-subject.js';
import type { RecordWrite } from './store/store.js';

/** What has states and digests: a channel, or a feature set. */
export interface Place {
  /** @throws RangeError when `key` is empty or longer than 256 bytes of UTF-8 */
  state(key: string): StateSubject;
  /**
   * Declares a digest; `renderer` answers for it from now on. Declare it again after a restart: hosts ask for what an
   * earlier process said.
   * @throws RangeError when `key` is empty or longer than 256 bytes of UTF-8
   */
  digest(key: string, renderer: Renderer): DigestSubject;
}

/** A channel's place in the producer. */
export interface Channel extends Place {
  readonly id: string;
  /** The host has opened it. */
  isOpen(): boolean;
  /** The life of one message. @throws RangeError when the id makes a key over 256 bytes */
  message(messageId: string): MessageSubject;
}

export interface EventFacts {
  readonly content: readonly ContentBlock[];
  /** What names this event for good. Default: a random one. */
  readonly eventId?: string;
  /** ISO 8601. Default: now. */
  readonly timestamp?: string;
  readonly tags?: readonly string[];
  readonly origin?: Readonly<Record<string, unknown>>;
  readonly records?: readonly RecordWrite[];
}

/** A feature set's place in the producer: what belongs to no channel. */
export interface FeatureSetPlace extends Place {
  /** An event that is appended and never changed. */
  event(facts: EventFacts): Promise<Submitted>;
}

export const placeOf = (context: SubjectContext, digests: Digests, place: SubjectPlace): Place => ({
  state: (key) => new StateSubject(context, place, key),
  digest: (key, renderer) => {
    const subject = new DigestSubject(context, place, key);
    digests.add(place, key, renderer);
    return subject;
  },
});

export const submitEvent = (
  { outbox, newId, now }: SubjectContext,
  featureSet: string,
  facts: EventFacts,
): Promise<Submitted> => {
  const occurrence: EventOccurrence = {
    kind: 'event',
    eventId: facts.eventId ?? newId(),
    featureSet,
    timestamp: facts.timestamp ?? now(),
    content: facts.content,
    tags: facts.tags ?? [],
    origin: facts.origin ?? {},
  };
  return outbox.submit(occurrence, facts.records);
};
