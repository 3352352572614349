import { type ContentBlock, MAX_KEY_BYTES, utf8Length } from '@mcpl-bridges/protocol';

/** What happened to a message. */
export type Action = 'create' | 'edit' | 'delete';

/** One thing that happened to one message, before it is known how it will travel. Plain data: it lives in the store. */
export interface Occurrence {
  /** Fresh per occurrence, reused only to retry it (RFC-006 §3.1). */
  readonly eventId: string;
  readonly action: Action;
  readonly channelId: string;
  readonly messageId: string;
  /** The subject's key, `message:<messageId>`, 1 to 256 bytes. */
  readonly key: string;
  /** No earlier occurrence of this subject was ever sent (RFC-006 §3.3). Never on a delete. */
  readonly initial: boolean;
  readonly featureSet: string;
  readonly author: { readonly id: string; readonly name: string };
  /** ISO 8601: when it happened on the platform. */
  readonly timestamp: string;
  /** The text the model reads; on a delete, the notice for whoever read a version. */
  readonly content: readonly ContentBlock[];
  readonly tags: readonly string[];
  readonly origin: Readonly<Record<string, unknown>>;
  readonly threadId?: string;
}

export const subjectOf = (occurrence: Occurrence): string => `${occurrence.channelId}\n${occurrence.key}`;

/** `message:<messageId>`. @throws RangeError when it is empty or longer than 256 bytes of UTF-8 */
export const messageKey = (messageId: string): string => {
  const key = `message:${messageId}`;
  if (messageId === '' || utf8Length(key) > MAX_KEY_BYTES)
    throw new RangeError(`messageId must be 1 to ${MAX_KEY_BYTES - 8} bytes of UTF-8, got ${utf8Length(messageId)}`);
  return key;
};

/**
 * An occurrence's id, the same whenever and wherever the same thing is seen again. Edits need the platform's revision,
 * such as an edit timestamp: an id without it would make the second edit a duplicate of the first.
 */
export const occurrenceId = (platform: string, action: Action, messageId: string, revision?: string): string =>
  action === 'edit' ? `${platform}:edit:${messageId}:${revision ?? ''}` : `${platform}:${action}:${messageId}`;
