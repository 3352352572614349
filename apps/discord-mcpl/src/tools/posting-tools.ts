import {
  type ChatTool,
  channelArgument as channelId,
  describeDelivery,
  HINTS,
  ToolFailure,
  tool,
} from '@mcpl-bridges/chat';
import { type APIChannel, type APIMessage, type APIThreadChannel, Routes } from 'discord.js';
import { z } from 'zod';
import { discordChannelId, mcplChannelId } from '../channel-ids.js';
import { asked } from '../platform/asked.js';
import type { DiscordToolsContext } from './context.js';

/** What is posted otherwise than as a message in a channel. */
export const postingTools = ({ rest, mayWriteTo, nonce, channels, post }: DiscordToolsContext): ChatTool[] => [
  tool({
    name: 'send_dm',
    description: 'Write to somebody directly.',
    classes: ['comms'],
    featureSet: 'messaging',
    input: z.strictObject({
      userId: z.string().regex(/^\d{1,20}$/, 'must be the numeric id of a user, as authorId in fetch_history'),
      content: z.string().min(1),
    }),
    output: z.object({ channelId: z.string(), messageIds: z.array(z.string()) }),
    annotations: HINTS.adds,
    run: async ({ userId, content }) => {
      if (!mayWriteTo(userId)) throw new ToolFailure('the operator lets no direct messages with this user through');
      const { id } = await asked<APIChannel>(rest.post(Routes.userChannels(), { body: { recipient_id: userId } }));
      const channelId = mcplChannelId(undefined, id);
      const delivery = await post({ channelId, content });
      if (delivery.kind !== 'sent') throw new ToolFailure(describeDelivery(delivery));
      return { text: describeDelivery(delivery), data: { channelId, messageIds: delivery.messageIds } };
    },
  }),
  tool({
    name: 'create_thread',
    description: 'Start a thread in a channel, from one of its messages where one is given.',
    classes: ['comms'],
    featureSet: 'messaging',
    input: z.strictObject({ channelId, name: z.string().min(1).max(100), messageId: z.string().min(1).optional() }),
    output: z.object({ channelId: z.string() }),
    annotations: HINTS.adds,
    run: async ({ channelId: channel, name, messageId: message }) => {
      const parent = discordChannelId(channels.resolve(channel));
      const body = message === undefined ? { name, type: 11 } : { name };
      const thread = await asked<APIThreadChannel>(rest.post(Routes.threads(parent, message), { body }));
      const id = mcplChannelId(thread.guild_id, thread.id);
      return { text: `started ${id}`, data: { channelId: id } };
    },
  }),
  tool({
    name: 'create_poll',
    description: 'Post a poll to a channel.',
    classes: ['comms'],
    featureSet: 'messaging',
    input: z.strictObject({
      channelId,
      question: z.string().min(1).max(300),
      answers: z.array(z.string().min(1).max(55)).min(2).max(10),
      hours: z.int().min(1).max(768).default(24).describe('How long it is open'),
      multiple: z.boolean().default(false).describe('Whether one may choose several answers'),
    }),
    output: z.object({ messageIds: z.array(z.string()) }),
    annotations: HINTS.adds,
    run: async ({ channelId: channel, question, answers, hours, multiple }) => {
      const body = {
        nonce: nonce(),
        enforce_nonce: true,
        poll: {
          question: { text: question },
          answers: answers.map((text) => ({ poll_media: { text } })),
          duration: hours,
          allow_multiselect: multiple,
        },
      };
      const route = Routes.channelMessages(discordChannelId(channels.resolve(channel)));
      const { id } = await asked<APIMessage>(rest.post(route, { body }));
      return { text: `posted as ${id}`, data: { messageIds: [id] } };
    },
  }),
];
