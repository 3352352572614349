import { z } from 'zod';
import type { Locus } from '../locus.js';
import type { ChatMessage } from '../message.js';
import type { HistoryQuery } from '../platform.js';
import { renderBody } from '../render/body.js';
import { shownName } from '../render/quoting.js';
import { channelArgument as channelId, messageTarget, resolveMessage } from './arguments.js';
import { type ChatTool, type FileLink, HINTS, tool } from './tool.js';
import type { ToolContext } from './tool-context.js';

/** Files that one answer links to: those of the newest messages. */
const MAX_LINKS = 50;

const limit = z.int().min(1).max(500).default(50).describe('How many messages, 1 to 500');

const around = z.int().min(1).max(100).default(50).describe('How many messages, 1 to 100');

/** Messages as tools answer with them. */
export const messageList = z.object({
  channelId: z.string(),
  threadId: z.string().optional(),
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

const line = (message: ChatMessage, tellTime: ToolContext['tellTime']): string => {
  const { messageId, author, createdAt, editedAt, replyTo } = message;
  const notes = [
    ...(editedAt === undefined ? [] : ['edited']),
    ...(replyTo ? [`replying to ${replyTo.messageId}`] : []),
  ];
  const speaker = `${shownName(author.name)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
  const time = tellTime(createdAt);
  return `${messageId} ${time === '' ? '' : `${time} `}${speaker}: ${message.event ?? renderBody(message)}`;
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

const linksOf = ({ attachments }: ChatMessage): FileLink[] =>
  attachments.map(({ url, name, size, contentType }) => ({
    uri: url,
    name,
    size,
    ...(contentType === undefined ? {} : { mimeType: contentType }),
  }));

/** Messages as an answer: a line each, and the same as data. */
export const listMessages = (
  { channelId: channel, threadId }: Locus,
  messages: readonly ChatMessage[],
  tellTime: ToolContext['tellTime'],
): { text: string; data: z.infer<typeof messageList>; links: FileLink[] } => ({
  text: messages.length === 0 ? 'there are no messages' : messages.map((one) => line(one, tellTime)).join('\n'),
  data: {
    channelId: channel,
    ...(threadId === undefined ? {} : { threadId }),
    messages: messages.map(dataOf),
  },
  links: messages.flatMap(linksOf).slice(-MAX_LINKS),
});

/** What an agent looks up. */
export const readingTools = ({ platform, channels, backscroll, tellTime }: ToolContext): ChatTool[] => {
  const read = async (locus: Locus, query: HistoryQuery) =>
    listMessages(locus, await backscroll.read(locus, query), tellTime);
  return [
    tool({
      name: 'fetch_history',
      description: 'Read what stands in a channel now, oldest first: its newest messages, or those before one.',
      classes: ['comms'],
      featureSet: 'history',
      input: z.strictObject({
        channelId,
        limit,
        before: z.string().optional().describe('Only messages older than this one'),
      }),
      output: messageList,
      annotations: HINTS.reads,
      run: ({ channelId: channel, limit: most, before }) =>
        read(channels.locate(channel), { limit: most, ...(before === undefined ? {} : { before }) }),
    }),
    tool({
      name: 'fetch_around',
      description: 'Read the messages before and after one, and itself.',
      classes: ['comms'],
      featureSet: 'history',
      input: z.strictObject({ channelId, ...messageTarget, limit: around }),
      output: messageList,
      annotations: HINTS.reads,
      run: async ({ channelId: channel, limit: most, ...target }) => {
        const locus = channels.locate(channel);
        return read(locus, { limit: most, around: await resolveMessage(platform, locus, target) });
      },
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
