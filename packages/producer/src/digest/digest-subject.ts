import type { ContentBlock } from '@mcpl-bridges/protocol';
import { KeyedSubject } from '../keyed-subject.js';
import { checkedData, type NoticeOccurrence } from '../occurrence/occurrence.js';
import type { Submitted } from '../outbox/outbox.js';
import type { RecordWrite } from '../store/store.js';

export interface NoticeFacts {
  /** What is shown where nothing can be rendered: it must say by itself that, and where, there is more. Not empty. */
  readonly fallback: readonly ContentBlock[];
  /** Comes back with the render. At most 4 KiB as JSON; never shown to a model. */
  readonly data?: unknown;
  /** ISO 8601. Default: now. */
  readonly timestamp?: string;
  readonly tags?: readonly string[];
  readonly origin?: Readonly<Record<string, unknown>>;
  /** Nothing was ever said of this subject. Default false (RFC-006 §3.3). */
  readonly initial?: boolean;
  readonly records?: readonly RecordWrite[];
}

/**
 * A subject whose changes are told when a model is about to look: `notice` says that there is one. A host that cannot ask
 * is given what stands for all notices of a while, rendered here.
 */
export class DigestSubject extends KeyedSubject {
  /** @throws RangeError when `data` is longer than 4 KiB, or the fallback empty */
  notice(facts: NoticeFacts): Promise<Submitted> {
    if (facts.fallback.length === 0)
      throw new RangeError('fallback must not be empty: it is what is shown without a render');
    const { outbox, now } = this.context;
    const occurrence: NoticeOccurrence = {
      kind: 'notice',
      ...this.begin(),
      initial: facts.initial ?? false,
      ...(facts.data === undefined ? {} : { data: checkedData(facts.data) }),
      timestamp: facts.timestamp ?? now(),
      content: facts.fallback,
      tags: facts.tags ?? [],
      origin: facts.origin ?? {},
    };
    return outbox.submit(occurrence, facts.records);
  }
}
