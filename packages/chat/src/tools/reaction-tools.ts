import { z } from 'zod';
import { channelArgument as channelId, messageTarget, resolveMessage } from './arguments.js';
import { type ChatTool, HINTS, tool } from './tool.js';
import type { ToolContext } from './tool-context.js';

/** Marks of the agent's own, on platforms where they are its own. */
export const reactionTools = ({ platform, channels }: ToolContext): ChatTool[] =>
  (['add', 'remove'] as const).map((what) =>
    tool({
      name: `${what}_reaction`,
      description: what === 'add' ? 'React to a message with an emoji.' : 'Take back a reaction of yours.',
      classes: ['comms'],
      featureSet: 'messaging',
      input: z.strictObject({
        channelId,
        ...messageTarget,
        emoji: z.string().min(1).describe('An emoji, or name:id of one of the server'),
      }),
      annotations: HINTS.marks,
      run: async ({ emoji, channelId: channel, ...target }) => {
        const locus = channels.locate(channel);
        const messageId = await resolveMessage(platform, locus, target);
        await platform.react(locus.channelId, messageId, emoji, what === 'add');
        return what === 'add' ? `reacted to ${messageId} with ${emoji}` : `took ${emoji} back from ${messageId}`;
      },
    }),
  );
