import { z } from 'zod';
import type { PublishTarget } from './channel.js';
import { content } from './content.js';
import type { FieldProblem } from './errors.js';

/**
 * `channels/publish` params (SPEC §14.3). `threadId` is three-valued (RFC-011): absent is legacy placement, `null` the
 * channel's root, a string exactly that thread.
 */
export const channelsPublishParams = z.looseObject({
  conversationId: z.string().optional(),
  channelId: z.string().min(1, 'must not be empty'),
  threadId: z.union([z.string().min(1), z.null()]).optional(),
  content,
  stream: z.boolean().optional(),
});
export type ChannelsPublishParams = z.infer<typeof channelsPublishParams>;

/** A refusal is this result with `delivered: false`, a `reason` and no `messageId`, never an error (RFC-011). */
export const channelsPublishResult = z.looseObject({
  delivered: z.boolean(),
  messageId: z.string().optional(),
  threadId: z.union([z.string(), z.null()]).optional(),
  reason: z.string().optional(),
});
export type ChannelsPublishResult = z.infer<typeof channelsPublishResult>;

/** Can a channel with `target` place a post at `threadId`? `undefined` means yes (RFC-011). */
export const publishTargetProblem = (
  target: PublishTarget | undefined,
  threadId: string | null | undefined,
): FieldProblem | undefined =>
  target === 'root' && typeof threadId === 'string'
    ? { field: 'threadId', reason: 'names a thread, but this channel posts only at its root' }
    : undefined;

const stream = { inferenceId: z.string(), conversationId: z.string().optional(), channelId: z.string() };

/** Advisory text deltas; `index` counts up over the whole inference (SPEC §14.3). */
export const outgoingChunkParams = z.looseObject({ ...stream, index: z.number().int().min(0), delta: z.string() });
export type OutgoingChunkParams = z.infer<typeof outgoingChunkParams>;

export const outgoingCompleteParams = z.looseObject({ ...stream, content });
export type OutgoingCompleteParams = z.infer<typeof outgoingCompleteParams>;

export const channelsTypingParams = z.looseObject({
  channelId: z.string(),
  op: z.enum(['start', 'stop']).optional(),
});
export type ChannelsTypingParams = z.infer<typeof channelsTypingParams>;

/** Shows that a message was taken notice of; `value` is the platform's own sign, e.g. an emoji. */
export const channelsAcknowledgeParams = z.looseObject({
  channelId: z.string(),
  messageId: z.string(),
  intent: z.string().optional(),
  value: z.string().optional(),
});
export type ChannelsAcknowledgeParams = z.infer<typeof channelsAcknowledgeParams>;
export const channelsAcknowledgeResult = z.looseObject({
  acknowledged: z.boolean(),
  representation: z.string().optional(),
  reason: z.string().optional(),
});
export type ChannelsAcknowledgeResult = z.infer<typeof channelsAcknowledgeResult>;
