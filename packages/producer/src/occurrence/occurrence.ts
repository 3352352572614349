import { type ContentBlock, jsonLength, MAX_DATA_BYTES, MAX_KEY_BYTES, utf8Length } from '@mcpl-bridges/protocol';

/** What happened to a message. */
export type Action = 'create' | 'edit' | 'delete';

interface Facts {
  /** Fresh per occurrence, reused only to retry it (RFC-006 §3.1). */
  readonly eventId: string;
  readonly featureSet: string;
  /** ISO 8601: when it happened. */
  readonly timestamp: string;
  /** The text the model reads. */
  readonly content: readonly ContentBlock[];
  readonly tags: readonly string[];
  readonly origin: Readonly<Record<string, unknown>>;
}

interface OfSubject extends Facts {
  /** The subject's key, 1 to 256 bytes. */
  readonly key: string;
  /** No earlier occurrence of this subject was ever sent (RFC-006 §3.3). Never on a retraction. */
  readonly initial: boolean;
}

/** One thing that happened to one message. On a delete, `content` is the notice for whoever read a version. */
export interface MessageOccurrence extends OfSubject {
  readonly kind: 'message';
  readonly action: Action;
  readonly channelId: string;
  readonly messageId: string;
  readonly author: { readonly id: string; readonly name: string };
  readonly threadId?: string;
}

/** A gauge that is true as of now, or its withdrawal, whose `content` corrects whoever has read it. */
export interface StateOccurrence extends OfSubject {
  readonly kind: 'state';
  readonly action: 'set' | 'withdraw';
  /** Absent: the subject lives in its feature set. */
  readonly channelId?: string;
}

/** Something has changed, and what it was is told when a model is about to look; `content` is the fallback (RFC-006 §5). */
export interface NoticeOccurrence extends OfSubject {
  readonly kind: 'notice';
  readonly channelId?: string;
  /** Comes back with the render; at most 4 KiB as JSON. */
  readonly data?: unknown;
}

/** An event that is appended and forgotten. */
export interface EventOccurrence extends Facts {
  readonly kind: 'event';
}

/** One thing that happened, before it is known how it will travel. Plain data: it lives in the store. */
export type Occurrence = MessageOccurrence | StateOccurrence | NoticeOccurrence | EventOccurrence;

/** Whose order it keeps: its channel's, or its feature set's. */
export const queueOf = (occurrence: Occurrence): string =>
  'channelId' in occurrence && occurrence.channelId !== undefined ? occurrence.channelId : `#${occurrence.featureSet}`;

/** What it must not overtake; an event has nothing before it. */
export const subjectOf = (occurrence: Occurrence): string =>
  occurrence.kind === 'event' ? occurrence.eventId : subjectName(queueOf(occurrence), occurrence.key);

export const subjectName = (queue: string, key: string): string => `${queue}\n${key}`;

/** `message:<messageId>`. @throws RangeError when it is empty or longer than 256 bytes of UTF-8 */
export const messageKey = (messageId: string): string => {
  const key = `message:${messageId}`;
  if (messageId === '' || utf8Length(key) > MAX_KEY_BYTES)
    throw new RangeError(`messageId must be 1 to ${MAX_KEY_BYTES - 8} bytes of UTF-8, got ${utf8Length(messageId)}`);
  return key;
};

/** @throws RangeError when `key` is empty or longer than 256 bytes of UTF-8 */
export const checkedKey = (key: string): string => {
  const bytes = utf8Length(key);
  if (bytes === 0 || bytes > MAX_KEY_BYTES)
    throw new RangeError(`key must be 1 to ${MAX_KEY_BYTES} bytes of UTF-8, got ${bytes}`);
  return key;
};

/** @throws RangeError when `data` is longer than 4 KiB as JSON */
export const checkedData = (data: unknown): unknown => {
  const bytes = jsonLength(data);
  if (bytes > MAX_DATA_BYTES)
    throw new RangeError(`data must be at most ${MAX_DATA_BYTES} bytes as JSON, got ${bytes}`);
  return data;
};

/**
 * An occurrence's id, the same whenever and wherever the same thing is seen again. Edits need the platform's revision,
 * such as an edit timestamp: an id without it would make the second edit a duplicate of the first.
 */
export const occurrenceId = (platform: string, action: Action, messageId: string, revision?: string): string =>
  action === 'edit' ? `${platform}:edit:${messageId}:${revision ?? ''}` : `${platform}:${action}:${messageId}`;
