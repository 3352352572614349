import type { Coalesce, Lane } from '@mcpl-bridges/protocol';
import type { Route } from './lane.js';
import type { Occurrence } from './occurrence.js';

/** What is sent, exactly; kept with the first attempt so that every retry is the same to the byte. */
export interface WireForm {
  readonly method: Lane;
  readonly params: Readonly<Record<string, unknown>>;
  /** Carries `coalesce`, so the host promises to recognise a retry. */
  readonly coalesced: boolean;
}

const coalesceOf = (occurrence: Occurrence, channelId: string | undefined): Coalesce => ({
  key: occurrence.key,
  ...(channelId === undefined ? {} : { channelId }),
  ...(occurrence.action === 'delete' ? { retract: true } : {}),
  ...(occurrence.initial ? { initial: true } : {}),
});

/** The request that carries `occurrence` on `route`. */
export const toWire = (occurrence: Occurrence, route: Exclude<Route, { kind: 'held' }>): WireForm => {
  switch (route.kind) {
    case 'incoming':
      return incomingForm(occurrence, route.coalesce);
    case 'channel-push':
      return pushForm(occurrence, coalesceOf(occurrence, occurrence.channelId));
    case 'ordinary-push':
      return pushForm(occurrence, undefined);
  }
};

const incomingForm = (occurrence: Occurrence, coalesce: boolean): WireForm => ({
  method: 'channels/incoming',
  coalesced: coalesce,
  params: {
    messages: [
      {
        channelId: occurrence.channelId,
        messageId: occurrence.messageId,
        ...(occurrence.threadId === undefined ? {} : { threadId: occurrence.threadId }),
        author: occurrence.author,
        timestamp: occurrence.timestamp,
        content: occurrence.content,
        tags: occurrence.tags,
        metadata: occurrence.origin,
        eventId: occurrence.eventId,
        ...(coalesce ? { coalesce: coalesceOf(occurrence, undefined) } : {}),
      },
    ],
  },
});

const pushForm = (occurrence: Occurrence, coalesce: Coalesce | undefined): WireForm => ({
  method: 'push/event',
  coalesced: coalesce !== undefined,
  params: {
    featureSet: occurrence.featureSet,
    eventId: occurrence.eventId,
    timestamp: occurrence.timestamp,
    origin: {
      ...occurrence.origin,
      mcplChannelId: occurrence.channelId,
      messageId: occurrence.messageId,
      ...(occurrence.threadId === undefined ? {} : { threadId: occurrence.threadId }),
    },
    tags: occurrence.tags,
    payload: { content: occurrence.content },
    ...(coalesce ? { coalesce } : {}),
  },
});
