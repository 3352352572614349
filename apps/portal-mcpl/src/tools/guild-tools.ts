import { type ChatTool, HINTS, shownName, tool } from '@mcpl-bridges/chat';
import { z } from 'zod';
import { asked } from '../platform/explain.js';
import { guildId, type PortalToolsContext } from './context.js';

/** What is in a server. */
export const guildTools = ({ gateway: { relay } }: PortalToolsContext): ChatTool[] => [
  tool({
    name: 'list_guilds',
    description: 'List the servers of the relay, by id and name.',
    classes: ['comms'],
    input: z.strictObject({}),
    output: z.object({ guilds: z.array(z.object({ id: z.string(), name: z.string() })) }),
    annotations: HINTS.reads,
    run: async () => {
      const { guilds } = await asked(relay.call('list_guilds', {}));
      const text = guilds.map(({ id, name }) => `${id} ${name}`).join('\n');
      const data = { guilds: guilds.map(({ id, name }) => ({ id, name })) };
      return { text: text === '' ? 'the relay is in no server' : text, data };
    },
  }),
  tool({
    name: 'list_members',
    description: 'List the members of a server, by id and name.',
    classes: ['comms'],
    input: z.strictObject({
      guildId,
      query: z.string().optional().describe('Only members whose name holds this'),
      limit: z.int().min(1).max(1000).default(100),
    }),
    output: z.object({
      members: z.array(z.object({ id: z.string(), name: z.string(), isBot: z.boolean(), roles: z.array(z.string()) })),
      membersAvailable: z.boolean(),
    }),
    annotations: HINTS.reads,
    run: async ({ query, ...about }) => {
      const { members, membersAvailable } = await asked(
        relay.call('list_members', { ...about, ...(query === undefined ? {} : { query }) }),
      );
      const data = {
        members: members.map(({ userId, displayName, bot, roles }) => ({
          id: userId,
          name: displayName,
          isBot: bot,
          roles: [...roles],
        })),
        membersAvailable,
      };
      const lines = data.members.map(({ id, name, isBot }) => `${id} ${shownName(name)}${isBot ? ' (bot)' : ''}`);
      const note = membersAvailable ? [] : ['the relay does not know all members'];
      return { text: [...lines, ...note].join('\n') || 'there are no such members', data };
    },
  }),
  tool({
    name: 'resolve_mentions',
    description: 'Find the ids of members by their names; null where nobody is meant, or several could be.',
    classes: ['comms'],
    input: z.strictObject({ guildId, handles: z.array(z.string().min(1)).min(1).max(50) }),
    output: z.object({ resolved: z.record(z.string(), z.string().nullable()) }),
    annotations: HINTS.reads,
    run: async (about) => {
      const { resolved } = await asked(relay.call('resolve_mentions', about));
      const text = Object.entries(resolved).map(([handle, id]) => `${shownName(handle)}: ${id ?? 'unknown'}`);
      return { text: text.join('\n'), data: { resolved } };
    },
  }),
  tool({
    name: 'list_roles',
    description: 'List the roles of a server, by id and name.',
    classes: ['comms'],
    input: z.strictObject({ guildId }),
    output: z.object({ roles: z.array(z.object({ id: z.string(), name: z.string(), pooled: z.boolean() })) }),
    annotations: HINTS.reads,
    run: async (about) => {
      const { roles } = await asked(relay.call('list_roles', about));
      const data = { roles: roles.map(({ id, name, pooled }) => ({ id, name, pooled })) };
      const lines = data.roles.map(({ id, name, pooled }) => `${id} ${shownName(name)}${pooled ? ' (an agent)' : ''}`);
      return { text: lines.join('\n') || 'there are no roles', data };
    },
  }),
  tool({
    name: 'list_emojis',
    description: "List the servers' own emoji: what a message's text takes, and what react takes.",
    classes: ['comms'],
    featureSet: 'messaging',
    input: z.strictObject({ guildId: guildId.optional() }),
    annotations: HINTS.reads,
    run: async ({ guildId: guild }) => {
      const { emojis } = await asked(relay.call('list_emojis', guild === undefined ? {} : { guildId: guild }));
      return (
        emojis.map(({ token, reactionArg }) => `${token} ${reactionArg}`).join('\n') || 'there are no emoji of its own'
      );
    },
  }),
];
