import { type ChatTool, channelArgument, HINTS, tool } from '@mcpl-bridges/chat';
import { z } from 'zod';
import { asked } from '../platform/explain.js';
import type { PortalToolsContext } from './context.js';

/** What the agent asks to hear of, beside what its host has opened. */
export const subscriptionTools = ({ channels, attention }: PortalToolsContext): ChatTool[] => [
  tool({
    name: 'subscribe_channel',
    description: 'Hear everything that is said in a channel from now on, though it is not open for you.',
    classes: ['control'],
    featureSet: 'subscriptions',
    input: z.strictObject({ channelId: channelArgument }),
    annotations: HINTS.marks,
    run: async ({ channelId }) => {
      const id = channels.resolve(channelId);
      await asked(attention.subscribe(id));
      return `subscribed to ${id}`;
    },
  }),
  tool({
    name: 'unsubscribe_channel',
    description: 'Hear of a channel only what addresses you, unless it is open for you.',
    classes: ['control'],
    featureSet: 'subscriptions',
    input: z.strictObject({ channelId: channelArgument }),
    annotations: HINTS.marks,
    run: async ({ channelId }) => {
      const id = channels.resolve(channelId);
      await attention.unsubscribe(id);
      return `not subscribed to ${id}`;
    },
  }),
];
