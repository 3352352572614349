import {
  type ChatMessage,
  type ChatTool,
  channelArgument,
  HINTS,
  shownName,
  ToolFailure,
  tool,
} from '@mcpl-bridges/chat';
import { type APIMessage, Routes } from 'discord.js';
import { z } from 'zod';
import { discordChannelId } from '../channel-ids.js';
import { asked } from '../platform/asked.js';
import { type DiscordToolsContext, guildArgument } from './context.js';
import { guildNamed } from './guild-named.js';

/** What Discord finds, or that it has not looked yet. */
type SearchAnswer =
  | { readonly messages: readonly (readonly APIMessage[])[]; readonly total_results: number }
  | { readonly retry_after: number };

const found = z.object({
  total: z.int(),
  messages: z.array(
    z.object({ channelId: z.string(), id: z.string(), author: z.string(), text: z.string(), createdAt: z.string() }),
  ),
});

/** Looking for what was said. */
export const searchTools = ({ rest, guilds, channels, read, tellTime }: DiscordToolsContext): ChatTool[] => {
  const line = ({ channelId, messageId, author, text, createdAt }: ChatMessage): string =>
    `${channelId} ${messageId} ${tellTime(createdAt)} ${shownName(author.name)}: ${text.replaceAll('\n', '\n  ')}`;
  return [
    tool({
      name: 'search_messages',
      description: 'Look for words in what was said in a server, newest first. Read around a find with fetch_around.',
      classes: ['comms'],
      featureSet: 'history',
      input: z.strictObject({
        guild: guildArgument,
        query: z.string().min(1).max(1024),
        channelId: channelArgument.optional(),
        authorId: z.string().optional(),
        limit: z.int().min(1).max(25).default(25),
      }),
      output: found,
      annotations: HINTS.reads,
      run: async ({ guild, query, channelId, authorId, limit }) => {
        const params = new URLSearchParams({ content: query, limit: String(limit), sort_by: 'timestamp' });
        if (channelId !== undefined) params.append('channel_id', discordChannelId(channels.resolve(channelId)));
        if (authorId !== undefined) params.append('author_id', authorId);
        const route = `${Routes.guild(guildNamed(guilds(), guild))}/messages/search` as const;
        const answer = await asked<SearchAnswer>(rest.get(route, { query: params }));
        if (!('messages' in answer))
          throw new ToolFailure(`Discord has not indexed this server yet; try again in ${answer.retry_after} s`);
        // Places that the operator does not let through are not to be found either.
        const messages = (await Promise.all(answer.messages.flat().map(read))).filter((one) => one !== undefined);
        return {
          text: messages.length === 0 ? 'nothing was found' : messages.map(line).join('\n'),
          data: {
            total: answer.total_results,
            messages: messages.map(({ channelId: channel, messageId, author, text, createdAt }) => ({
              channelId: channel,
              id: messageId,
              author: author.name,
              text,
              createdAt,
            })),
          },
        };
      },
    }),
  ];
};
