import type { ToolContext } from '@mcpl-bridges/chat';
import { z } from 'zod';
import type { PortalGateway } from '../relay/gateway.js';

/** What the tools that only Portal has work with. */
export interface PortalToolsContext extends ToolContext {
  readonly gateway: PortalGateway;
  /** Whether a new token could be kept. */
  readonly canRotate: boolean;
}

export const guildId = z.string().min(1).describe('Server: its id, as in list_guilds');
