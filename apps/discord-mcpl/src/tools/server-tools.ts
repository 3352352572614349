import { type ChatTool, channelArgument, HINTS, shownName, tool } from '@mcpl-bridges/chat';
import { type APIChannel, type APIEmoji, type APIGuildMember, Routes } from 'discord.js';
import { z } from 'zod';
import { discordChannelId, mcplChannelId } from '../channel-ids.js';
import { asked } from '../platform/asked.js';
import { type DiscordToolsContext, guildArgument } from './context.js';
import { guildNamed } from './guild-named.js';

/** Most members that are listed. */
const MAX_MEMBERS = 1000;

/** What is in a server, and what can be made and removed there. */
export const serverTools = (context: DiscordToolsContext): ChatTool[] => {
  const { rest, guilds, channels, membersOf, refresh } = context;
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
      featureSet: 'messaging',
      input: z.strictObject({ guild: guildArgument }),
      annotations: HINTS.reads,
      run: async ({ guild }) => {
        const emojis = await asked<APIEmoji[]>(rest.get(Routes.guildEmojis(guildNamed(guilds(), guild))));
        return emojis.length === 0
          ? 'this server has no emoji of its own'
          : emojis.map(({ name, id }) => `${name}:${id}`).join('\n');
      },
    }),
    tool({
      name: 'list_channel_members',
      description: 'List who can read a channel, by id and name.',
      classes: ['comms'],
      input: z.strictObject({ channelId: channelArgument }),
      output: z.object({
        members: z.array(z.object({ id: z.string(), name: z.string(), isBot: z.boolean() })),
        isComplete: z.boolean(),
      }),
      annotations: HINTS.reads,
      run: async ({ channelId }) => {
        const id = discordChannelId(channels.resolve(channelId));
        const place = membersOf(id);
        const found =
          place.kind === 'direct'
            ? place.members
            : await asked<APIGuildMember[]>(
                rest.get(Routes.guildMembers(place.guildId), {
                  query: new URLSearchParams({ limit: String(MAX_MEMBERS) }),
                }),
              ).then((all) => all.filter((member) => place.mayRead(member)).map(memberOf));
        const members = [...found].sort((a, b) => a.name.localeCompare(b.name));
        const text = members.map(
          ({ id: userId, name, isBot }) => `${userId} ${shownName(name)}${isBot ? ' (bot)' : ''}`,
        );
        return { text: text.join('\n'), data: { members, isComplete: found.length < MAX_MEMBERS } };
      },
    }),
    tool({
      name: 'refresh_channels',
      description: 'Look again which channels there are, and tell the host of all of them.',
      classes: ['control'],
      input: z.strictObject({}),
      output: z.object({ visible: z.int(), added: z.array(z.object({ id: z.string(), label: z.string() })) }),
      annotations: HINTS.marks,
      run: async () => {
        const known = new Set(channels.all().map(({ id }) => id));
        await refresh();
        const all = channels.all();
        const added = all.filter(({ id }) => !known.has(id)).map(({ id, label }) => ({ id, label }));
        const news =
          added.length === 0 ? 'none of them new' : added.map(({ id, label }) => `${id} ${label}`).join('\n');
        return { text: `${all.length} channels, ${news}`, data: { visible: all.length, added } };
      },
    }),
    tool({
      name: 'create_text_channel',
      description: 'Make a text channel in a server.',
      classes: ['comms'],
      featureSet: 'channels',
      input: z.strictObject({
        guild: guildArgument,
        name: z.string().min(1).max(100),
        categoryId: z.string().min(1).optional().describe('Id of the category to put it in'),
      }),
      output: z.object({ channelId: z.string() }),
      annotations: HINTS.adds,
      run: async ({ guild, name, categoryId }) => {
        const guildId = guildNamed(guilds(), guild);
        const body = { name, type: 0, ...(categoryId === undefined ? {} : { parent_id: categoryId }) };
        const made = await asked<APIChannel>(rest.post(Routes.guildChannels(guildId), { body }));
        const id = mcplChannelId(guildId, made.id);
        return { text: `made ${id}`, data: { channelId: id } };
      },
    }),
    tool({
      name: 'delete_channel',
      description: 'Remove a channel with everything in it, for good.',
      classes: ['comms'],
      featureSet: 'channels',
      input: z.strictObject({ channelId: channelArgument }),
      annotations: HINTS.changes,
      run: async ({ channelId }) => {
        const id = channels.resolve(channelId);
        await asked(rest.delete(Routes.channel(discordChannelId(id))));
        return `removed ${id}`;
      },
    }),
  ];
};

const memberOf = ({ user, nick }: APIGuildMember) => ({
  id: user.id,
  name: nick ?? user.global_name ?? user.username,
  isBot: user.bot ?? false,
});
