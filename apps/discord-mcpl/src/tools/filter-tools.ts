import { type ChatTool, HINTS, ToolFailure, tool } from '@mcpl-bridges/chat';
import { z } from 'zod';
import { type Filters, id } from '../config/filters.js';
import type { FiltersChange } from '../config/filters-change.js';

/** What the operator lets through, as far as the agent may see and change it. */
export interface FiltersControl {
  readonly current: () => Filters;
  /** Writes the filters file; absent where there is none. @throws Error that says why not */
  readonly change?: ((change: FiltersChange) => void) | undefined;
}

const shown = ({ guilds, dmUsers }: Filters) => ({
  guilds:
    guilds === 'all'
      ? null
      : Object.fromEntries([...guilds].map(([guild, list]) => [guild, list === 'all' ? null : [...list]])),
  dmUsers: dmUsers === 'all' ? null : [...dmUsers],
});

/** What of Discord gets through to the agent. Which emoji are suppressed is for the operator alone to see and change. */
export const filterTools = ({ current, change }: FiltersControl): ChatTool[] => [
  tool({
    name: 'filters_get',
    description: 'Show which servers, channels and direct messages get through to you; null is everything.',
    classes: ['control'],
    input: z.strictObject({}),
    output: z.object({
      canChange: z.boolean(),
      guilds: z.record(z.string(), z.array(z.string()).nullable()).nullable(),
      dmUsers: z.array(z.string()).nullable(),
    }),
    annotations: HINTS.reads,
    run: async () => {
      const data = { canChange: change !== undefined, ...shown(current()) };
      return { text: JSON.stringify(data), data };
    },
  }),
  tool({
    name: 'filters_update',
    description:
      'Change which servers and direct messages get through to you, at once. An empty list lets nobody through.',
    classes: ['control'],
    input: z.strictObject({
      addGuilds: z.array(z.string()).default([]).describe('guild, or guild:channel+channel for some channels only'),
      removeGuilds: z.array(id).default([]),
      setDmUsers: z.array(id).optional(),
    }),
    annotations: HINTS.changes,
    run: async (asked) => {
      if (!change)
        throw new ToolFailure('the filters cannot be changed: the operator has named no DISCORD_FILTERS_FILE');
      try {
        change(asked);
      } catch (error) {
        throw new ToolFailure((error as Error).message);
      }
      return `changed; now ${JSON.stringify(shown(current()))}`;
    },
  }),
];
