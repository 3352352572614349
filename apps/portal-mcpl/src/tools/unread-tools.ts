import { type ChatTool, channelArgument, HINTS, oneLine, tool } from '@mcpl-bridges/chat';
import { z } from 'zod';
import { mcplChannelId, portalChannelId } from '../ids.js';
import { asked } from '../platform/explain.js';
import type { PortalToolsContext } from './context.js';

const MAX_PREVIEW = 200;

/** What the relay keeps of what the agent has not read. */
export const unreadTools = ({ gateway, channels }: PortalToolsContext): ChatTool[] => {
  const { relay, reader, directory } = gateway;
  return [
    tool({
      name: 'get_pending_pings',
      description: 'List what was said to you and is not marked as read, while you were away, too.',
      classes: ['comms'],
      featureSet: 'subscriptions',
      input: z.strictObject({}),
      output: z.object({
        pings: z.array(
          z.object({
            channelId: z.string(),
            messageId: z.string(),
            author: z.string(),
            text: z.string(),
            at: z.string(),
          }),
        ),
      }),
      annotations: HINTS.reads,
      run: async () => {
        const { pings } = await asked(relay.call('get_pending_pings', {}));
        const visible = pings.filter(({ message }) => directory.isVisible(message.channelId));
        const read = await Promise.all(visible.map(({ message, reasons }) => reader.read(message, reasons)));
        const data = read.map(({ channelId, messageId, author, text, createdAt }) => ({
          channelId,
          messageId,
          author: author.name,
          text,
          at: createdAt,
        }));
        const lines = data.map(
          (one) =>
            `${one.messageId} in ${one.channelId}, ${oneLine(one.author, 80)}: ${oneLine(one.text, MAX_PREVIEW)}`,
        );
        return { text: lines.join('\n') || 'nobody is waiting for you', data: { pings: data } };
      },
    }),
    tool({
      name: 'list_unread',
      description: 'List how much there is in each channel that is not marked as read.',
      classes: ['comms'],
      featureSet: 'subscriptions',
      input: z.strictObject({}),
      output: z.object({ channels: z.array(z.object({ channelId: z.string(), count: z.int() })) }),
      annotations: HINTS.reads,
      run: async () => {
        const { channels: unread } = await asked(relay.call('list_unread', {}));
        const visible = unread.filter(({ channelId }) => directory.isVisible(channelId));
        const lines = visible.map(({ channelId, count, lastPreview }) => {
          const id = mcplChannelId(channelId);
          const label = channels.all().find((one) => one.id === id)?.label ?? '';
          return `${id} ${label}: ${count} unread, the last: ${oneLine(lastPreview ?? '', MAX_PREVIEW)}`;
        });
        const data = {
          channels: visible.map(({ channelId, count }) => ({ channelId: mcplChannelId(channelId), count })),
        };
        return { text: lines.join('\n') || 'nothing is unread', data };
      },
    }),
    tool({
      name: 'mark_read',
      description: 'Mark a channel as read, with its threads, up to now or up to one of its messages.',
      classes: ['control'],
      featureSet: 'subscriptions',
      input: z.strictObject({
        channelId: channelArgument,
        uptoCreatedAt: z.iso.datetime().optional().describe('Only what was said until then: createdAt of a message'),
      }),
      annotations: HINTS.marks,
      run: async ({ channelId, uptoCreatedAt }) => {
        const id = channels.resolve(channelId);
        const upto = uptoCreatedAt === undefined ? {} : { uptoCreatedAt: gateway.notAfterNow(uptoCreatedAt) };
        await asked(relay.call('mark_read', { channelId: portalChannelId(id), ...upto }));
        return `${id} is marked as read`;
      },
    }),
  ];
};
