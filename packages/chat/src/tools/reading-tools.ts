import { z } from 'zod';
import type { ChatMessage } from '../message.js';
import type { ChatPlatform, HistoryQuery } from '../platform.js';
import { renderBody } from '../render/body.js';
import { shownName } from '../render/quoting.js';
import type { ChannelDirectory } from './channel-directory.js';
import { type ChatTool, HINTS, tool } from './tool.js';

const channelId = z.string().min(1).describe('Channel: MCPL id, or #name (Server)');
const limit = z.int().min(1).max(100).default(50).describe('How many messages, 1 to 100');

const messages = z.object({
  channelId: z.string(),
  messages: z.array(
    z.object({
      id: z.string(),
      author: z.string(),
      authorId: z.string(),
      text: z.string(),
      createdAt: z.string(),
      editedAt: z.string().optional(),
      replyTo: z.string().optional(),
    }),
  ),
});

const line = (message: ChatMessage): string => {
  const { messageId, author, createdAt, editedAt, replyTo } = message;
  const notes = [
    ...(editedAt === undefined ? [] : ['edited']),
    ...(replyTo ? [`replying to ${replyTo.messageId}`] : []),
  ];
  const speaker = `${shownName(author.name)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
  return `${messageId} ${createdAt.slice(0, 16)}Z ${speaker}: ${message.event ?? renderBody(message)}`;
};

const dataOf = ({ messageId, author, createdAt, editedAt, replyTo, event, ...rest }: ChatMessage) => ({
  id: messageId,
  author: author.name,
  authorId: author.id,
  text: event ?? renderBody(rest),
  createdAt,
  ...(editedAt === undefined ? {} : { editedAt }),
  ...(replyTo ? { replyTo: replyTo.messageId } : {}),
});

/** What an agent looks up. */
export const readingTools = (platform: ChatPlatform, channels: ChannelDirectory): ChatTool[] => {
  const read = async (channel: string, query: HistoryQuery) => {
    const id = channels.resolve(channel);
    const found = await platform.history(id, query);
    const text = found.length === 0 ? 'there are no messages' : found.map(line).join('\n');
    return { text, data: { channelId: id, messages: found.map(dataOf) } };
  };
  return [
    tool({
      name: 'fetch_history',
      description: 'Read what stands in a channel now, oldest first: its newest messages, or those before one.',
      classes: ['comms'],
      input: z.strictObject({
        channelId,
        limit,
        before: z.string().optional().describe('Only messages older than this one'),
      }),
      output: messages,
      annotations: HINTS.reads,
      run: ({ channelId: channel, limit: most, before }) =>
        read(channel, { limit: most, ...(before === undefined ? {} : { before }) }),
    }),
    tool({
      name: 'fetch_around',
      description: 'Read the messages before and after one, and itself.',
      classes: ['comms'],
      input: z.strictObject({ channelId, messageId: z.string().min(1), limit }),
      output: messages,
      annotations: HINTS.reads,
      run: ({ channelId: channel, messageId, limit: most }) => read(channel, { limit: most, around: messageId }),
    }),
    tool({
      name: 'list_channels',
      description: 'List the channels, by id and name.',
      classes: ['comms'],
      input: z.strictObject({ query: z.string().optional().describe('Only channels whose name holds this') }),
      output: z.object({ channels: z.array(z.object({ id: z.string(), label: z.string() })) }),
      annotations: HINTS.reads,
      run: async ({ query = '' }) => {
        const found = channels.all().filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()));
        const text = found.map(({ id, label }) => `${id} ${label}`).join('\n');
        return {
          text: text === '' ? 'there are no such channels' : text,
          data: { channels: found.map(({ id, label }) => ({ id, label })) },
        };
      },
    }),
  ];
};
