import { z } from 'zod';
import { coalesceResult } from './coalesce.js';
import { content } from './content.js';
import { tag } from './tags.js';
import { timestamp } from './timestamp.js';

export const author = z.looseObject({ id: z.string(), name: z.string() });
export type Author = z.infer<typeof author>;

/** One message of `channels/incoming` (SPEC §14.3, RFC-006 §13). */
export const incomingMessage = z.looseObject({
  channelId: z.string().min(1, 'must not be empty'),
  messageId: z.string().min(1, 'must not be empty'),
  threadId: z.string().optional(),
  author,
  timestamp,
  content,
  tags: z.array(tag).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  eventId: z.string().optional(),
  coalesce: z.unknown().optional(),
});
export type IncomingMessage = z.infer<typeof incomingMessage>;

/** Messages are judged one by one, so the list itself only has to be a list. */
export const channelsIncomingParams = z.looseObject({ messages: z.array(z.unknown()) });
export type ChannelsIncomingParams = z.infer<typeof channelsIncomingParams>;

/** Why one message of a batch was refused. */
export const INCOMING_REASONS = [
  'capability_denied',
  'unknown_channel',
  'channel_not_permitted',
  'message_invalid',
  'coalesce_invalid',
] as const;
export type IncomingReason = (typeof INCOMING_REASONS)[number];

export const incomingResult = z.looseObject({
  messageId: z.string(),
  accepted: z.boolean(),
  conversationId: z.string().optional(),
  reason: z.string().optional(),
  coalesce: coalesceResult.optional(),
});
export type IncomingResult = z.infer<typeof incomingResult>;

/** One result per message, in the order of the request. */
export const channelsIncomingResult = z.looseObject({ results: z.array(incomingResult) });
export type ChannelsIncomingResult = z.infer<typeof channelsIncomingResult>;
