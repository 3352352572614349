import type {
  ChannelsAcknowledgeParams,
  ChannelsAcknowledgeResult,
  ChannelsPublishParams,
  ChannelsPublishResult,
} from '@mcpl-bridges/protocol';
import { type ChatPlatform, SendRefused } from '../platform.js';
import { describeDelivery } from './outgoing.js';
import type { Poster } from './poster.js';

/** Posts what a host publishes. */
export const publish = async (
  poster: Poster,
  { channelId, threadId, content }: ChannelsPublishParams,
): Promise<ChannelsPublishResult> => {
  const delivery = await poster.post({ channelId, ...(threadId ? { threadId } : {}), content });
  if (delivery.kind !== 'sent') return { delivered: false, reason: describeDelivery(delivery) };
  const messageId = delivery.messageIds[0];
  return { delivered: true, ...(messageId === undefined ? {} : { messageId }), messageIds: delivery.messageIds };
};

/** Marks what a host has noticed. */
export const acknowledge = async (
  platform: Pick<ChatPlatform, 'acknowledge'>,
  { channelId, messageId, value }: ChannelsAcknowledgeParams,
): Promise<ChannelsAcknowledgeResult> => {
  try {
    return { acknowledged: true, representation: await platform.acknowledge(channelId, messageId, value) };
  } catch (error) {
    if (error instanceof SendRefused) return { acknowledged: false, reason: error.message };
    throw error;
  }
};
