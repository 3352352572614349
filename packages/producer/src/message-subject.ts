import type { ContentBlock } from '@mcpl-bridges/protocol';
import { type Action, type MessageOccurrence, messageKey, occurrenceId, subjectName } from './occurrence/occurrence.js';
import type { Outbox, Submitted } from './outbox/outbox.js';
import type { RecordWrite } from './store/store.js';

export interface MessageIdentity {
  readonly platform: string;
  readonly featureSet: string;
  readonly channelId: string;
  readonly messageId: string;
}

/** What is said of a message on any occasion. */
export interface MessageFacts {
  readonly author: { readonly id: string; readonly name: string };
  /** ISO 8601: when this happened on the platform. */
  readonly timestamp: string;
  readonly content: readonly ContentBlock[];
  readonly tags: readonly string[];
  /** Provenance for the host's eyes; never decides a scope. */
  readonly origin?: Readonly<Record<string, unknown>>;
  readonly threadId?: string;
  /**
   * Kept in the same step as the occurrence. A platform that may tell of something twice needs one here, and a look at
   * it before: what is handed over again when it has left the outbox is sent again, and what was folded into it is not
   * in what the host remembers.
   */
  readonly records?: readonly RecordWrite[];
}

export interface EditFacts extends MessageFacts {
  /** What tells this edit from every other edit of the message, such as the platform's edit timestamp. Not empty. */
  readonly revision: string;
  /** This edit is the first that the host ever hears of the message. Default false. */
  readonly initial?: boolean;
}

/** One message's life, in order: `create`, any number of `edit`s, `delete`. Each resolves once it is stored. */
export class MessageSubject {
  private readonly key: string;

  constructor(
    private readonly outbox: Outbox,
    private readonly identity: MessageIdentity,
  ) {
    this.key = messageKey(identity.messageId);
  }

  create(facts: MessageFacts): Promise<Submitted> {
    return this.submit('create', facts, { initial: true });
  }

  /** @throws RangeError when `revision` is empty */
  edit(facts: EditFacts): Promise<Submitted> {
    if (facts.revision === '') throw new RangeError('revision must not be empty: it tells this edit from the next');
    return this.submit('edit', facts, { initial: facts.initial ?? false, revision: facts.revision });
  }

  /** `facts.content` is the notice for whoever read a version; empty withdraws without a word. */
  delete(facts: MessageFacts): Promise<Submitted> {
    return this.submit('delete', facts, { initial: false });
  }

  /**
   * Puts `content` in place of what was last said of the message, if that was not sent yet. Nothing new is ever said.
   * @returns whether it was not sent yet; resolves once that is stored
   */
  enrich(content: readonly ContentBlock[]): Promise<boolean> {
    const { channelId } = this.identity;
    return this.outbox.enrich(subjectName(channelId, this.key), channelId, content);
  }

  private submit(
    action: Action,
    facts: MessageFacts,
    about: { readonly initial: boolean; readonly revision?: string },
  ): Promise<Submitted> {
    const { platform, featureSet, channelId, messageId } = this.identity;
    const occurrence: MessageOccurrence = {
      kind: 'message',
      eventId: occurrenceId(platform, action, messageId, about.revision),
      action,
      channelId,
      messageId,
      key: this.key,
      initial: about.initial,
      featureSet,
      author: facts.author,
      timestamp: facts.timestamp,
      content: facts.content,
      tags: facts.tags,
      origin: facts.origin ?? {},
      ...(facts.threadId === undefined ? {} : { threadId: facts.threadId }),
    };
    return this.outbox.submit(occurrence, facts.records);
  }
}
