import { type ChannelDirectory, type ChatTool, HINTS, SendRefused, ToolFailure, tool } from '@mcpl-bridges/chat';
import {
  type APIChannel,
  type APIEmoji,
  type APIMessage,
  type APIThreadChannel,
  type REST,
  type RESTGetAPIChannelMessagesPinsResult,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import { discordChannelId, mcplChannelId } from '../channel-ids.js';
import { explainDiscordError } from '../platform/explain.js';

export interface DiscordToolsContext {
  readonly rest: Pick<REST, 'get' | 'post' | 'put' | 'delete'>;
  /** The servers that the bot is in and the operator lets through. */
  readonly guilds: () => readonly { readonly id: string; readonly name: string }[];
  /** Whether the operator lets direct messages with a user through. */
  readonly mayWriteTo: (userId: string) => boolean;
  /** At most 25 characters: with it, a repeated request posts once. */
  readonly nonce: () => string;
}

const channelId = z.string().min(1).describe('Channel: MCPL id, or #name (Server)');
const messageId = z.string().min(1).describe('Id of the message, as in fetch_history');
const guild = z.string().min(1).describe('Server: its id or name');

const asked = async <T>(attempt: Promise<unknown>): Promise<T> => {
  try {
    return (await attempt) as T;
  } catch (error) {
    throw new SendRefused(explainDiscordError(error));
  }
};

/** What only Discord has. */
export const discordTools = (context: DiscordToolsContext, channels: ChannelDirectory): ChatTool[] => [
  ...serverTools(context),
  ...pinTools(context, channels),
  ...postingTools(context, channels),
];

const serverTools = ({ rest, guilds }: DiscordToolsContext): ChatTool[] => {
  const guildId = (text: string): string => {
    const found = guilds().filter(({ id, name }) => id === text || name.toLowerCase() === text.trim().toLowerCase());
    if (found.length === 1) return (found[0] as { id: string }).id;
    const choices = (found.length === 0 ? guilds() : found).map(({ id, name }) => `${id} ${name}`).join(', ');
    throw new ToolFailure(
      `${text} names ${found.length === 0 ? 'no server' : 'several servers'}; use one of ${choices}`,
    );
  };
  return [
    tool({
      name: 'list_guilds',
      description: 'List the servers, by id and name.',
      classes: ['comms'],
      input: z.strictObject({}),
      output: z.object({ guilds: z.array(z.object({ id: z.string(), name: z.string() })) }),
      annotations: HINTS.reads,
      run: async () => {
        const list = guilds().map(({ id, name }) => ({ id, name }));
        const text = list.map(({ id, name }) => `${id} ${name}`).join('\n');
        return { text: text === '' ? 'the bot is in no server' : text, data: { guilds: list } };
      },
    }),
    tool({
      name: 'list_emojis',
      description: "List a server's own emoji, as add_reaction takes them.",
      classes: ['comms'],
      input: z.strictObject({ guild }),
      annotations: HINTS.reads,
      run: async ({ guild: text }) => {
        const emojis = await asked<APIEmoji[]>(rest.get(Routes.guildEmojis(guildId(text))));
        return emojis.length === 0
          ? 'this server has no emoji of its own'
          : emojis.map(({ name, id }) => `${name}:${id}`).join('\n');
      },
    }),
  ];
};

const pinTools = ({ rest }: DiscordToolsContext, channels: ChannelDirectory): ChatTool[] => [
  ...(['pin', 'unpin'] as const).map((what) =>
    tool({
      name: `${what}_message`,
      description: what === 'pin' ? 'Pin a message in its channel.' : 'Take a message off the pins.',
      classes: ['comms'],
      input: z.strictObject({ channelId, messageId }),
      annotations: HINTS.marks,
      run: async ({ channelId: channel, messageId: message }) => {
        const route = Routes.channelMessagesPin(discordChannelId(channels.resolve(channel)), message);
        await asked(what === 'pin' ? rest.put(route) : rest.delete(route));
        return `${what}ned ${message}`;
      },
    }),
  ),
  tool({
    name: 'list_pins',
    description: 'List the pinned messages of a channel.',
    classes: ['comms'],
    input: z.strictObject({ channelId }),
    annotations: HINTS.reads,
    run: async ({ channelId: channel }) => {
      const route = Routes.channelMessagesPins(discordChannelId(channels.resolve(channel)));
      const { items } = await asked<RESTGetAPIChannelMessagesPinsResult>(rest.get(route));
      return items.length === 0
        ? 'nothing is pinned here'
        : `${items.map(({ message }) => message.id).join('\n')}\nread them with fetch_around`;
    },
  }),
];

const postingTools = ({ rest, mayWriteTo, nonce }: DiscordToolsContext, channels: ChannelDirectory): ChatTool[] => [
  tool({
    name: 'send_dm',
    description: 'Write to somebody directly.',
    classes: ['comms'],
    input: z.strictObject({
      userId: z.string().regex(/^\d{1,20}$/, 'must be the numeric id of a user, as authorId in fetch_history'),
      content: z.string().min(1).max(2000),
    }),
    output: z.object({ channelId: z.string(), messageIds: z.array(z.string()) }),
    annotations: HINTS.adds,
    run: async ({ userId, content }) => {
      if (!mayWriteTo(userId)) throw new ToolFailure('the operator lets no direct messages with this user through');
      const { id } = await asked<APIChannel>(rest.post(Routes.userChannels(), { body: { recipient_id: userId } }));
      const body = { content, nonce: nonce(), enforce_nonce: true, allowed_mentions: { parse: ['users'] } };
      const message = await asked<APIMessage>(rest.post(Routes.channelMessages(id), { body }));
      return {
        text: `posted as ${message.id}`,
        data: { channelId: mcplChannelId(undefined, id), messageIds: [message.id] },
      };
    },
  }),
  tool({
    name: 'create_thread',
    description: 'Start a thread in a channel, from one of its messages where one is given.',
    classes: ['comms'],
    input: z.strictObject({ channelId, name: z.string().min(1).max(100), messageId: messageId.optional() }),
    output: z.object({ channelId: z.string() }),
    annotations: HINTS.adds,
    run: async ({ channelId: channel, name, messageId: message }) => {
      const parent = discordChannelId(channels.resolve(channel));
      const body = message === undefined ? { name, type: 11 } : { name };
      const thread = await asked<APIThreadChannel>(rest.post(Routes.threads(parent, message), { body }));
      const id = mcplChannelId(thread.guild_id, thread.id);
      return { text: `started ${id}`, data: { channelId: id } };
    },
  }),
  tool({
    name: 'create_poll',
    description: 'Post a poll to a channel.',
    classes: ['comms'],
    input: z.strictObject({
      channelId,
      question: z.string().min(1).max(300),
      answers: z.array(z.string().min(1).max(55)).min(2).max(10),
      hours: z.int().min(1).max(768).default(24).describe('How long it is open'),
      multiple: z.boolean().default(false).describe('Whether one may choose several answers'),
    }),
    output: z.object({ messageIds: z.array(z.string()) }),
    annotations: HINTS.adds,
    run: async ({ channelId: channel, question, answers, hours, multiple }) => {
      const body = {
        nonce: nonce(),
        enforce_nonce: true,
        poll: {
          question: { text: question },
          answers: answers.map((text) => ({ poll_media: { text } })),
          duration: hours,
          allow_multiselect: multiple,
        },
      };
      const route = Routes.channelMessages(discordChannelId(channels.resolve(channel)));
      const { id } = await asked<APIMessage>(rest.post(route, { body }));
      return { text: `posted as ${id}`, data: { messageIds: [id] } };
    },
  }),
];
