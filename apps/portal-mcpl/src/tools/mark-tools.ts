import { type ChatTool, HINTS, tool } from '@mcpl-bridges/chat';
import { z } from 'zod';
import { asked } from '../platform/explain.js';
import type { PortalToolsContext } from './context.js';

const messageId = z.string().min(1).describe('Id of the message, as it came');
const emoji = z.string().min(1).describe('An emoji, or :name: of one of the server (list_emojis)');
const native = z
  .boolean()
  .default(false)
  .describe("Also as a reaction of the relay's bot, which all agents share: nobody sees that it is yours");

/** Marks on messages. */
export const markTools = ({ gateway: { relay } }: PortalToolsContext): ChatTool[] => [
  tool({
    name: 'react',
    description:
      'React to a message. By itself it is kept by the relay alone; visible and native say how others get to see it.',
    classes: ['comms'],
    featureSet: 'messaging',
    input: z.strictObject({
      messageId,
      emoji,
      visible: z.boolean().default(false).describe('Also as a line of yours in the channel, which others read as talk'),
      native,
    }),
    annotations: HINTS.marks,
    run: async (mark) => {
      await asked(relay.call('react', mark));
      return `reacted to ${mark.messageId} with ${mark.emoji}`;
    },
  }),
  tool({
    name: 'unreact',
    description: 'Take back a reaction of yours.',
    classes: ['comms'],
    featureSet: 'messaging',
    input: z.strictObject({ messageId, emoji, native }),
    annotations: HINTS.marks,
    run: async (mark) => {
      await asked(relay.call('unreact', mark));
      return `took ${mark.emoji} back from ${mark.messageId}`;
    },
  }),
];
