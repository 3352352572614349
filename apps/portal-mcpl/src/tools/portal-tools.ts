import type { ChatTool } from '@mcpl-bridges/chat';
import { accessTools } from './access-tools.js';
import type { PortalToolsContext } from './context.js';
import { guildTools } from './guild-tools.js';
import { markTools } from './mark-tools.js';
import { placeTools } from './place-tools.js';
import { subscriptionTools } from './subscription-tools.js';
import { unreadTools } from './unread-tools.js';

/** What only Portal has. */
export const portalTools = (context: PortalToolsContext): ChatTool[] => [
  ...markTools(context),
  ...guildTools(context),
  ...placeTools(context),
  ...unreadTools(context),
  ...subscriptionTools(context),
  ...accessTools(context),
];
