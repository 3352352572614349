import { z } from 'zod';
import { coalesceResult } from './coalesce.js';
import { content, contentBlocks } from './content.js';
import { tag } from './tags.js';
import { timestamp } from './timestamp.js';

/** `push/event` params (SPEC §9.2). `coalesce` is judged by `checkCoalesce`, which knows lane and host. */
export const pushEventParams = z.looseObject({
  featureSet: z.string().min(1, 'must not be empty'),
  eventId: z.string().min(1, 'must not be empty'),
  timestamp,
  origin: z.record(z.string(), z.unknown()).optional(),
  tags: z.array(tag).optional(),
  payload: z.looseObject({ content }),
  coalesce: z.unknown().optional(),
});
export type PushEventParams = z.infer<typeof pushEventParams>;

/** `push/event` result (SPEC §9.3, RFC-006 §7). */
export const pushEventResult = z.looseObject({
  accepted: z.boolean(),
  inferenceId: z.string().optional(),
  reason: z.string().optional(),
  coalesce: coalesceResult.optional(),
});
export type PushEventResult = z.infer<typeof pushEventResult>;

/** One folded notice of a batch (RFC-006 §13). */
export const notice = z.looseObject({ eventId: z.string(), timestamp, data: z.unknown().optional() });
export type Notice = z.infer<typeof notice>;

/** `push/render` params, host to server (RFC-006 §5.2). `notices` oldest first; `dropped` counts those not kept. */
export const pushRenderParams = z.looseObject({
  featureSet: z.string(),
  channelId: z.string().optional(),
  key: z.string(),
  eventId: z.string(),
  notices: z.array(notice),
  dropped: z.number().int().min(0),
});
export type PushRenderParams = z.infer<typeof pushRenderParams>;

/** `push/render` result; empty content materialises nothing (RFC-006 §5.3). */
export const pushRenderResult = z.looseObject({ content: contentBlocks, timestamp: timestamp.optional() });
export type PushRenderResult = z.infer<typeof pushRenderResult>;
