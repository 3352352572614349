import { type ChatTool, channelArgument, HINTS, tool } from '@mcpl-bridges/chat';
import { z } from 'zod';
import { asked } from '../platform/explain.js';
import type { PortalToolsContext } from './context.js';

/** What the agent asks to hear of, beside what its host has opened. */
export const subscriptionTools = ({ channels, attention }: PortalToolsContext): ChatTool[] =>
  ([true, false] as const).map((wanted) =>
    tool({
      name: wanted ? 'subscribe_channel' : 'unsubscribe_channel',
      description: wanted
        ? 'Hear everything that is said in a channel from now on, though it is not open for you.'
        : 'Hear of a channel only what addresses you, unless it is open for you.',
      classes: ['control'],
      featureSet: 'subscriptions',
      input: z.strictObject({ channelId: channelArgument }),
      annotations: HINTS.marks,
      run: async ({ channelId }) => {
        const id = channels.resolve(channelId);
        await (wanted ? asked(attention.subscribe(id)) : attention.unsubscribe(id));
        return `${wanted ? 'subscribed' : 'not subscribed'} to ${id}`;
      },
    }),
  );
