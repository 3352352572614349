import { z } from 'zod';
import { describeDelivery } from '../publishing/outgoing.js';
import { channelArgument as channelId, type MessageTarget, messageTarget, resolveMessage } from './arguments.js';
import { type ChatTool, HINTS, ToolFailure, tool } from './tool.js';
import type { ToolContext } from './tool-context.js';

const posted = z.object({ messageIds: z.array(z.string()) });

/** What an agent does with messages. */
export const messageTools = ({ platform, channels, post, files }: ToolContext): ChatTool[] => {
  const target = { channelId, ...messageTarget };
  const resolve = async (args: MessageTarget & { readonly channelId: string }) => {
    const channel = channels.resolve(args.channelId);
    return { channel, messageId: await resolveMessage(platform, channel, args) };
  };
  const deliver = async (channel: string, content: string, replyTo: string | undefined, paths: readonly string[]) => {
    const attached = await Promise.all(paths.map((path) => files?.read(path) ?? Promise.reject(NO_FILES)));
    const delivery = await post({ channelId: channel, content, replyTo, files: attached });
    if (delivery.kind !== 'sent') throw new ToolFailure(describeDelivery(delivery));
    return { text: describeDelivery(delivery), data: { messageIds: delivery.messageIds } };
  };
  const attachments = files
    ? { files: z.array(z.string().min(1)).max(10).default([]).describe(`Paths of files under ${files.root}`) }
    : {};
  const classes = files ? (['comms', 'files'] as const) : (['comms'] as const);
  return [
    tool({
      name: 'send_message',
      description: 'Post a message to a channel. Returns the ids of the posted messages.',
      classes,
      featureSet: 'messaging',
      input: z.strictObject({
        channelId,
        content: z.string().min(1).describe('Text; long text is posted as several messages'),
        replyTo: z.string().optional().describe('Id of the message to reply to'),
        ...attachments,
      }),
      output: posted,
      annotations: HINTS.adds,
      run: ({ channelId: channel, content, replyTo, ...rest }) =>
        deliver(channels.resolve(channel), content, replyTo, pathsOf(rest)),
    }),
    tool({
      name: 'reply_message',
      description: 'Reply to a message in its channel.',
      classes,
      featureSet: 'messaging',
      input: z.strictObject({ ...target, content: z.string().min(1), ...attachments }),
      output: posted,
      annotations: HINTS.adds,
      run: async ({ content, ...rest }) => {
        const { channel, messageId } = await resolve(rest);
        return deliver(channel, content, messageId, pathsOf(rest));
      },
    }),
    tool({
      name: 'edit_message',
      description: 'Replace the text of a message that you posted.',
      classes: ['comms'],
      featureSet: 'messaging',
      input: z.strictObject({ channelId, messageId: z.string().min(1), content: z.string().min(1) }),
      annotations: HINTS.changes,
      run: async ({ channelId: channel, messageId, content }) => {
        if (content.length > platform.maxTextUnits)
          throw new ToolFailure(
            `content is ${content.length} characters long; one message holds ${platform.maxTextUnits}: shorten it, or post another`,
          );
        await platform.edit(channels.resolve(channel), messageId, content);
        return `edited ${messageId}`;
      },
    }),
    tool({
      name: 'delete_message',
      description: 'Delete a message.',
      classes: ['comms'],
      featureSet: 'messaging',
      input: z.strictObject({ channelId, messageId: z.string().min(1) }),
      annotations: HINTS.changes,
      run: async ({ channelId: channel, messageId }) => {
        await platform.delete(channels.resolve(channel), messageId);
        return `deleted ${messageId}`;
      },
    }),
    ...(['add', 'remove'] as const).map((what) =>
      tool({
        name: `${what}_reaction`,
        description: what === 'add' ? 'React to a message with an emoji.' : 'Take back a reaction of yours.',
        classes: ['comms'],
        featureSet: 'messaging',
        input: z.strictObject({
          ...target,
          emoji: z.string().min(1).describe('An emoji, or name:id of one of the server'),
        }),
        annotations: HINTS.marks,
        run: async ({ emoji, ...rest }) => {
          const { channel, messageId } = await resolve(rest);
          await platform.react(channel, messageId, emoji, what === 'add');
          return what === 'add' ? `reacted to ${messageId} with ${emoji}` : `took ${emoji} back from ${messageId}`;
        },
      }),
    ),
  ];
};

const NO_FILES = new ToolFailure('files cannot be sent: the operator has named no folder for them');

const pathsOf = (args: object): readonly string[] => ('files' in args ? (args.files as readonly string[]) : []);
