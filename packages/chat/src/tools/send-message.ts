import { z } from 'zod';
import { deliver, describeDelivery } from '../outgoing.js';
import type { ChatPlatform } from '../platform.js';
import { type ChatTool, ToolFailure } from './tool.js';

const input = z.strictObject({
  channelId: z.string().min(1).describe('MCPL channel id, as in the channel list'),
  content: z.string().min(1).describe('Text; long text is posted as several messages'),
  replyTo: z.string().optional().describe('Id of the message to reply to'),
});

/** Posts to a channel the server knows. @param resolve gives the MCPL channel id a caller means, or `undefined` */
export const sendMessageTool = (
  platform: ChatPlatform,
  resolve: (channelId: string) => string | undefined,
): ChatTool<typeof input> => ({
  name: 'send_message',
  description: 'Post a message to a channel. Returns the ids of the posted messages.',
  classes: ['comms'],
  input,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  run: async ({ channelId, content, replyTo }) => {
    const target = resolve(channelId);
    if (target === undefined)
      throw new ToolFailure(`there is no channel ${channelId} here; use an id from the channel list`);
    const delivery = await deliver(platform, target, content, replyTo);
    if (delivery.kind !== 'sent') throw new ToolFailure(describeDelivery(delivery));
    return describeDelivery(delivery);
  },
});
