import { z } from 'zod';
import { deliver, describeDelivery } from '../outgoing.js';
import type { ChatPlatform } from '../platform.js';
import type { ChannelDirectory } from './channel-directory.js';
import { type ChatTool, HINTS, ToolFailure, tool } from './tool.js';

const channelId = z.string().min(1).describe('Channel: MCPL id, or #name (Server)');
const messageId = z.string().min(1).describe('Id of the message, as in fetch_history');
const posted = z.object({ messageIds: z.array(z.string()) });

/** What an agent does with messages. */
export const messageTools = (platform: ChatPlatform, channels: ChannelDirectory): ChatTool[] => {
  const post = async (channel: string, content: string, replyTo: string | undefined) => {
    const delivery = await deliver(platform, channels.resolve(channel), content, replyTo);
    if (delivery.kind !== 'sent') throw new ToolFailure(describeDelivery(delivery));
    return { text: describeDelivery(delivery), data: { messageIds: delivery.messageIds } };
  };
  return [
    tool({
      name: 'send_message',
      description: 'Post a message to a channel. Returns the ids of the posted messages.',
      classes: ['comms'],
      input: z.strictObject({
        channelId,
        content: z.string().min(1).describe('Text; long text is posted as several messages'),
        replyTo: z.string().optional().describe('Id of the message to reply to'),
      }),
      output: posted,
      annotations: HINTS.adds,
      run: ({ channelId: channel, content, replyTo }) => post(channel, content, replyTo),
    }),
    tool({
      name: 'reply_message',
      description: 'Reply to a message in its channel.',
      classes: ['comms'],
      input: z.strictObject({ channelId, messageId, content: z.string().min(1) }),
      output: posted,
      annotations: HINTS.adds,
      run: ({ channelId: channel, messageId: message, content }) => post(channel, content, message),
    }),
    tool({
      name: 'edit_message',
      description: 'Replace the text of a message that you posted.',
      classes: ['comms'],
      input: z.strictObject({ channelId, messageId, content: z.string().min(1) }),
      annotations: HINTS.changes,
      run: async ({ channelId: channel, messageId: message, content }) => {
        if (content.length > platform.maxTextUnits)
          throw new ToolFailure(
            `content is ${content.length} characters long; one message holds ${platform.maxTextUnits}: shorten it, or post another`,
          );
        await platform.edit(channels.resolve(channel), message, content);
        return `edited ${message}`;
      },
    }),
    tool({
      name: 'delete_message',
      description: 'Delete a message.',
      classes: ['comms'],
      input: z.strictObject({ channelId, messageId }),
      annotations: HINTS.changes,
      run: async ({ channelId: channel, messageId: message }) => {
        await platform.delete(channels.resolve(channel), message);
        return `deleted ${message}`;
      },
    }),
    ...(['add', 'remove'] as const).map((what) =>
      tool({
        name: `${what}_reaction`,
        description: what === 'add' ? 'React to a message with an emoji.' : 'Take back a reaction of yours.',
        classes: ['comms'],
        input: z.strictObject({
          channelId,
          messageId,
          emoji: z.string().min(1).describe('An emoji, or name:id of one of the server'),
        }),
        annotations: HINTS.marks,
        run: async ({ channelId: channel, messageId: message, emoji }) => {
          await platform.react(channels.resolve(channel), message, emoji, what === 'add');
          return what === 'add' ? `reacted to ${message} with ${emoji}` : `took ${emoji} back from ${message}`;
        },
      }),
    ),
  ];
};
