import { z } from 'zod';
import type { Locus } from '../locus.js';
import { describeDelivery } from '../publishing/outgoing.js';
import { channelArgument, type MessageTarget, messageTarget, resolveMessage } from './arguments.js';
import { type ChatTool, HINTS, ToolFailure, tool } from './tool.js';
import type { ToolContext } from './tool-context.js';

const posted = z.object({ messageIds: z.array(z.string()) });

/** Agents that one post mentions at most. */
const MAX_MENTIONS = 20;

const mentionPersonaIds = z
  .array(z.string().min(1))
  .max(MAX_MENTIONS)
  .default([])
  .describe('Other agents to mention, by the id they have as authors');

/** Where a message stands whose id says so; else what `channelId` names. @throws ToolFailure */
export const locateMessage = (
  { platform, channels }: Pick<ToolContext, 'platform' | 'channels'>,
  { channelId, messageId }: { readonly channelId?: string | undefined; readonly messageId?: string | undefined },
): Locus => {
  const known = messageId === undefined ? undefined : platform.locusOf?.(messageId);
  if (known) return known;
  if (channelId === undefined) throw new ToolFailure('name the channel by channelId');
  return channels.locate(channelId);
};

/** What an agent does with messages. */
export const messageTools = (context: ToolContext): ChatTool[] => {
  const { platform, channels, post, files } = context;
  // Ids of messages that say where they stand make the channel dispensable.
  const channelId = platform.locusOf ? channelArgument.optional() : channelArgument;
  const single = { channelId, messageId: z.string().min(1) };
  const extras = {
    ...(files
      ? { files: z.array(z.string().min(1)).max(10).default([]).describe(`Paths of files under ${files.root}`) }
      : {}),
    ...(platform.mentionsAgents ? { mentionPersonaIds } : {}),
  };
  const classes = files ? (['comms', 'files'] as const) : (['comms'] as const);
  const deliver = async (locus: Locus, content: string, replyTo: string | undefined, given: object) => {
    const { files: paths = [], mentionPersonaIds: mentions = [] } = given as {
      files?: readonly string[];
      mentionPersonaIds?: readonly string[];
    };
    const attached = await Promise.all(paths.map((path) => files?.read(path) ?? Promise.reject(NO_FILES)));
    const delivery = await post({ ...locus, content, replyTo, mentions, files: attached });
    if (delivery.kind !== 'sent') throw new ToolFailure(describeDelivery(delivery));
    return { text: describeDelivery(delivery), data: { messageIds: delivery.messageIds } };
  };
  return [
    tool({
      name: 'send_message',
      description: 'Post a message to a channel or thread. Returns the ids of the posted messages.',
      classes,
      featureSet: 'messaging',
      input: z.strictObject({
        channelId: channelArgument,
        content: z.string().min(1).describe('Text; long text is posted as several messages'),
        replyTo: z.string().optional().describe('Id of the message to reply to'),
        ...extras,
      }),
      output: posted,
      annotations: HINTS.adds,
      run: ({ channelId: channel, content, replyTo, ...rest }) =>
        deliver(channels.locate(channel), content, replyTo, rest),
    }),
    tool({
      name: 'reply_message',
      description: 'Reply to a message where it stands.',
      classes,
      featureSet: 'messaging',
      input: z.strictObject({ channelId, ...messageTarget, content: z.string().min(1), ...extras }),
      output: posted,
      annotations: HINTS.adds,
      run: async ({ content, ...rest }) => {
        const target = rest as MessageTarget & { readonly channelId?: string };
        const locus = locateMessage(context, target);
        return deliver(locus, content, await resolveMessage(platform, locus, target), rest);
      },
    }),
    tool({
      name: 'edit_message',
      description: 'Replace the text of a message that you posted.',
      classes: ['comms'],
      featureSet: 'messaging',
      input: z.strictObject({ ...single, content: z.string().min(1) }),
      annotations: HINTS.changes,
      run: async ({ content, ...target }) => {
        if (content.length > platform.maxTextUnits)
          throw new ToolFailure(
            `content is ${content.length} characters long; one message holds ${platform.maxTextUnits}: shorten it, or post another`,
          );
        await platform.edit(locateMessage(context, target).channelId, target.messageId, content);
        return `edited ${target.messageId}`;
      },
    }),
    tool({
      name: 'delete_message',
      description: 'Delete a message.',
      classes: ['comms'],
      featureSet: 'messaging',
      input: z.strictObject(single),
      annotations: HINTS.changes,
      run: async (target) => {
        await platform.delete(locateMessage(context, target).channelId, target.messageId);
        return `deleted ${target.messageId}`;
      },
    }),
  ];
};

const NO_FILES = new ToolFailure('files cannot be sent: the operator has named no folder for them');
