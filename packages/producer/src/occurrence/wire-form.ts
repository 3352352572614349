import { createHash } from 'node:crypto';
import { type Coalesce, type CoalescingLeaves, type Lane, MAX_KEY_BYTES, utf8Length } from '@mcpl-bridges/protocol';
import { CHANNEL_NOTIFICATION } from '../session/channel-notifications.js';
import type { Route } from './lane.js';
import type { MessageOccurrence, NoticeOccurrence, Occurrence, StateOccurrence } from './occurrence.js';

/** What is sent, exactly; kept with the first attempt so that every retry is the same to the byte. */
export interface WireForm {
  readonly method: Lane | typeof CHANNEL_NOTIFICATION;
  /** JSON: the params of a push or a notification, or one of the `messages` of `channels/incoming`. */
  readonly body: string;
  /** Carries `coalesce`, so the host promises to recognise a retry. */
  readonly coalesced: boolean;
  /** A push whose subject lives in its channel: it takes what `channels/incoming` takes, too (RFC-006 §4.2). */
  readonly inChannelScope: boolean;
}

/** The params, as JSON, of a request that carries these; several only by `channels/incoming`. */
export const paramsOf = (forms: readonly [WireForm, ...WireForm[]]): string =>
  forms[0].method === 'channels/incoming' ? `{"messages":[${forms.map(({ body }) => body).join(',')}]}` : forms[0].body;

/** A wire form as one line of text, for stores. */
export const encodeWire = ({ method, coalesced, inChannelScope, body }: WireForm): string =>
  `${method}${inChannelScope ? '@' : coalesced ? '+' : '-'}${body}`;

/** @throws Error for a text that `encodeWire` did not make */
export const decodeWire = (text: string): WireForm => {
  const at = text.indexOf('{');
  const method = text.slice(0, at - 1);
  if (method !== 'push/event' && method !== 'channels/incoming' && method !== CHANNEL_NOTIFICATION)
    throw new Error(`the store holds an attempt by ${method}, which this version does not know`);
  const mark = text[at - 1];
  return { method, coalesced: mark !== '-', inChannelScope: mark === '@', body: text.slice(at) };
};

/** A route that sends something. */
export type Sendable = Exclude<Route, { kind: 'held' } | { kind: 'needless' }>;

type OfSubject = MessageOccurrence | StateOccurrence | NoticeOccurrence;

/** The request that carries `occurrence` on `route`, to a host with `leaves`. */
export const toWire = (occurrence: Occurrence, route: Sendable, leaves: CoalescingLeaves | undefined): WireForm => {
  switch (route.kind) {
    case 'incoming':
      if (occurrence.kind !== 'message') throw new Error(`a ${occurrence.kind} cannot travel by channels/incoming`);
      return incomingForm(occurrence, route.coalesce);
    case 'channel-push':
    case 'set-push':
      if (occurrence.kind === 'event') throw new Error('an event has no subject');
      return pushForm(occurrence, coalesceOf(occurrence, route.kind, leaves));
    case 'ordinary-push':
      return pushForm(occurrence, undefined);
    case 'channel-notification':
      return notificationForm(occurrence);
  }
};

const coalesceOf = (
  occurrence: OfSubject,
  scope: 'incoming' | 'channel-push' | 'set-push',
  leaves?: CoalescingLeaves,
): Coalesce => {
  const { key, channelId } = occurrence;
  const retract = occurrence.kind !== 'notice' && (occurrence.action === 'delete' || occurrence.action === 'withdraw');
  // A host without `deferred` gets the fallback as a plain state: it says by itself what there is to say.
  const deferred = occurrence.kind === 'notice' && leaves?.deferred === true;
  const data = deferred && occurrence.kind === 'notice' ? occurrence.data : undefined;
  return {
    key: scope === 'set-push' && channelId !== undefined ? keyInSet(channelId, key) : key,
    ...(scope === 'channel-push' && channelId !== undefined ? { channelId } : {}),
    ...(retract ? { retract: true } : {}),
    ...(occurrence.initial ? { initial: true } : {}),
    ...(deferred ? { deferred: true } : {}),
    ...(data === undefined ? {} : { data }),
  };
};

/** Two channels that share a feature set's scope must not share a key. */
export const keyInSet = (channelId: string, key: string): string => {
  const whole = `${channelId}/${key}`;
  if (utf8Length(whole) <= MAX_KEY_BYTES) return whole;
  return `sha256:${createHash('sha256').update(whole).digest('base64url')}`;
};

const incomingForm = (occurrence: MessageOccurrence, coalesce: boolean): WireForm => ({
  method: 'channels/incoming',
  coalesced: coalesce,
  inChannelScope: false,
  body: JSON.stringify({
    channelId: occurrence.channelId,
    messageId: occurrence.messageId,
    threadId: occurrence.threadId,
    author: occurrence.author,
    timestamp: occurrence.timestamp,
    content: occurrence.content,
    tags: occurrence.tags,
    metadata: occurrence.origin,
    eventId: occurrence.eventId,
    coalesce: coalesce ? coalesceOf(occurrence, 'incoming') : undefined,
  }),
});

const pushForm = (occurrence: Occurrence, coalesce: Coalesce | undefined): WireForm => ({
  method: 'push/event',
  coalesced: coalesce !== undefined,
  inChannelScope: coalesce?.channelId !== undefined,
  body: JSON.stringify({
    featureSet: occurrence.featureSet,
    eventId: occurrence.eventId,
    timestamp: occurrence.timestamp,
    origin: { ...occurrence.origin, ...provenance(occurrence) },
    tags: occurrence.tags,
    payload: { content: occurrence.content },
    coalesce,
  }),
});

/** Where a pushed message belongs, so that it can be answered (RFC-011). */
const provenance = (occurrence: Occurrence): Record<string, unknown> => {
  if (occurrence.kind !== 'message') return {};
  const { channelId, messageId, threadId } = occurrence;
  return { mcplChannelId: channelId, messageId, ...(threadId === undefined ? {} : { threadId }) };
};

/** Attributes are texts whose names are identifiers. */
const notificationForm = (occurrence: Occurrence): WireForm => {
  const { eventId, timestamp, tags, content } = occurrence;
  const author = occurrence.kind === 'message' ? occurrence.author : undefined;
  const meta = {
    event_id: eventId,
    ts: timestamp,
    ...('channelId' in occurrence && occurrence.channelId !== undefined ? { channel_id: occurrence.channelId } : {}),
    ...(occurrence.kind === 'message' ? { message_id: occurrence.messageId } : {}),
    ...(author?.id ? { user: author.name, user_id: author.id } : {}),
    ...(tags.length > 0 ? { tags: tags.join(',') } : {}),
  };
  const text = content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n');
  return {
    method: CHANNEL_NOTIFICATION,
    coalesced: false,
    inChannelScope: false,
    body: JSON.stringify({ content: text, meta }),
  };
};
