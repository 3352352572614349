import { type ChatTool, reactionTools } from '@mcpl-bridges/chat';
import type { DiscordToolsContext } from './context.js';
import { type FiltersControl, filterTools } from './filter-tools.js';
import { pinTools } from './pin-tools.js';
import { postingTools } from './posting-tools.js';
import { searchTools } from './search-tools.js';
import { serverTools } from './server-tools.js';

/** What only Discord has. */
export const discordTools = (context: DiscordToolsContext, filters: FiltersControl): ChatTool[] => [
  ...reactionTools(context),
  ...serverTools(context),
  ...searchTools(context),
  ...pinTools(context),
  ...postingTools(context),
  ...filterTools(filters),
];
