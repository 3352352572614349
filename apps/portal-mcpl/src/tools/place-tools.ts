import { type ChatTool, channelArgument, HINTS, listMessages, messageList, tool } from '@mcpl-bridges/chat';
import { z } from 'zod';
import { containerAt, mcplChannelId, portalChannelId } from '../ids.js';
import { asked } from '../platform/explain.js';
import { guildId, type PortalToolsContext } from './context.js';

const made = z.object({ channelId: z.string() });

/** Where things are said, and what is kept there. */
export const placeTools = ({ gateway, channels, tellTime }: PortalToolsContext): ChatTool[] => {
  const { relay, reader } = gateway;
  return [
    tool({
      name: 'create_thread',
      description: 'Start a thread in a channel.',
      classes: ['comms'],
      featureSet: 'messaging',
      input: z.strictObject({ channelId: channelArgument, name: z.string().min(1).max(100) }),
      output: made,
      annotations: HINTS.adds,
      run: async ({ channelId, name }) => {
        const parent = portalChannelId(channels.resolve(channelId));
        const { channel } = await asked(relay.call('create_thread', { channelId: parent, name }));
        return { text: `started ${mcplChannelId(channel.id)}`, data: { channelId: mcplChannelId(channel.id) } };
      },
    }),
    tool({
      name: 'create_text_channel',
      description: 'Make a text channel in a server.',
      classes: ['comms'],
      featureSet: 'channels',
      input: z.strictObject({ guildId, name: z.string().min(1).max(100), categoryId: z.string().min(1).optional() }),
      output: made,
      annotations: HINTS.adds,
      run: async ({ categoryId, ...about }) => {
        const asking = relay.call('create_text_channel', {
          ...about,
          ...(categoryId === undefined ? {} : { categoryId }),
        });
        const { channel } = await asked(asking);
        return { text: `made ${mcplChannelId(channel.id)}`, data: { channelId: mcplChannelId(channel.id) } };
      },
    }),
    tool({
      name: 'delete_channel',
      description: 'Remove a channel or thread with everything in it, for good.',
      classes: ['comms'],
      featureSet: 'channels',
      input: z.strictObject({ channelId: channelArgument }),
      annotations: HINTS.changes,
      run: async ({ channelId }) => {
        const id = containerAt(channels.locate(channelId));
        await asked(relay.call('delete_channel', { channelId: id }));
        return `removed ${mcplChannelId(id)}`;
      },
    }),
    tool({
      name: 'list_pins',
      description: 'Read the pinned messages of a channel.',
      classes: ['comms'],
      featureSet: 'messaging',
      input: z.strictObject({ channelId: channelArgument }),
      output: messageList,
      annotations: HINTS.reads,
      run: async ({ channelId }) => {
        const locus = channels.locate(channelId);
        const { messages } = await asked(relay.call('list_pins', { channelId: containerAt(locus) }));
        return listMessages(locus, await Promise.all(messages.map((one) => reader.read(one))), tellTime);
      },
    }),
  ];
};
