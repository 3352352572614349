import { z } from 'zod';
import { incomingMessage } from './incoming.js';

/** Where a channel can place a post (RFC-011): exactly in the thread asked, or only at its root. */
export const publishTarget = z.enum(['exact', 'root']);
export type PublishTarget = z.infer<typeof publishTarget>;

/** A channel as its server describes it (SPEC §14.2). */
export const channelDescriptor = z.looseObject({
  id: z.string().min(1, 'must not be empty'),
  type: z.string().min(1, 'must not be empty'),
  label: z.string(),
  direction: z.enum(['outbound', 'inbound', 'bidirectional']),
  address: z.record(z.string(), z.unknown()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  capabilities: z.looseObject({ publish: z.looseObject({ target: publishTarget.optional() }).optional() }).optional(),
});
export type ChannelDescriptor = z.infer<typeof channelDescriptor>;

/** Members are judged one by one (SPEC §14.5), so the list itself only has to be a list. */
export const channelsRegisterParams = z.looseObject({ channels: z.array(z.unknown()) });
export type ChannelsRegisterParams = z.infer<typeof channelsRegisterParams>;

export const channelsChangedParams = z.looseObject({
  added: z.array(z.unknown()).optional(),
  removed: z.array(z.string()).optional(),
  updated: z.array(z.unknown()).optional(),
});
export type ChannelsChangedParams = z.infer<typeof channelsChangedParams>;

export const descriptorResult = z.looseObject({
  id: z.string(),
  accepted: z.boolean(),
  reason: z.string().optional(),
});
export type DescriptorResult = z.infer<typeof descriptorResult>;

/** One entry per descriptor that was submitted (SPEC §14.5); `channels/changed` answers the same. */
export const channelsRegisterResult = z.looseObject({ results: z.array(descriptorResult) });
export type ChannelsRegisterResult = z.infer<typeof channelsRegisterResult>;

export const channelsListParams = z.looseObject({});
export const channelsListResult = z.looseObject({ channels: z.array(channelDescriptor) });
export type ChannelsListResult = z.infer<typeof channelsListResult>;

/** How much of a channel's past a host wants to see when it opens it; not in SPEC, but hosts ask for it. */
export const openHistory = z.looseObject({
  limit: z.int().min(0).max(500),
  beforeMessageId: z.string().min(1).optional(),
  /** Only what was not delivered before. */
  sinceLastSeen: z.boolean().optional(),
});
export type OpenHistory = z.infer<typeof openHistory>;

/** What stood in a channel before it was opened, oldest first. */
export const channelHistory = z.looseObject({
  history: z.array(incomingMessage),
  /** There was more to be had than was asked for and given. */
  historyTruncated: z.boolean().optional(),
});
export type ChannelHistory = z.infer<typeof channelHistory>;

/** Selects a channel by id, or by type and address (SPEC §14.3). */
export const channelsOpenParams = z
  .looseObject({
    channelId: z.string().optional(),
    type: z.string().optional(),
    address: z.record(z.string(), z.unknown()).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    history: openHistory.optional(),
  })
  .refine((params) => params.channelId !== undefined || params.address !== undefined, {
    message: 'must name a channelId, or a type with an address',
    path: ['channelId'],
  });
export type ChannelsOpenParams = z.infer<typeof channelsOpenParams>;
export const channelsOpenResult = channelHistory.partial().extend({ channel: channelDescriptor });
export type ChannelsOpenResult = z.infer<typeof channelsOpenResult>;

export const channelsCloseParams = z.looseObject({ channelId: z.string().min(1) });
export const channelsCloseResult = z.looseObject({ closed: z.boolean() });
export type ChannelsCloseResult = z.infer<typeof channelsCloseResult>;
