import {
  type ChatTool,
  channelArgument as channelId,
  HINTS,
  messageTarget,
  resolveMessage,
  tool,
} from '@mcpl-bridges/chat';
import { type RESTGetAPIChannelMessagesPinsResult, Routes } from 'discord.js';
import { z } from 'zod';
import { discordChannelId } from '../channel-ids.js';
import { asked } from '../platform/asked.js';
import type { DiscordToolsContext } from './context.js';

/** What is pinned in a channel. */
export const pinTools = ({ rest, channels, platform }: DiscordToolsContext): ChatTool[] => [
  ...(['pin', 'unpin'] as const).map((what) =>
    tool({
      name: `${what}_message`,
      description: what === 'pin' ? 'Pin a message in its channel.' : 'Take a message off the pins.',
      classes: ['comms'],
      featureSet: 'messaging',
      input: z.strictObject({ channelId, ...messageTarget }),
      annotations: HINTS.marks,
      run: async ({ channelId: channel, ...target }) => {
        const id = channels.resolve(channel);
        const message = await resolveMessage(platform, { channelId: id }, target);
        const route = Routes.channelMessagesPin(discordChannelId(id), message);
        await asked(what === 'pin' ? rest.put(route) : rest.delete(route));
        return `${what}ned ${message}`;
      },
    }),
  ),
  tool({
    name: 'list_pins',
    description: 'List the pinned messages of a channel.',
    classes: ['comms'],
    featureSet: 'messaging',
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
