import type { ChatMessage, ToolContext } from '@mcpl-bridges/chat';
import type { APIMessage, REST } from 'discord.js';
import { z } from 'zod';
import type { Readers } from '../gateway/members.js';

/** What the tools that only Discord has work with. */
export interface DiscordToolsContext extends ToolContext {
  readonly rest: Pick<REST, 'get' | 'post' | 'put' | 'delete'>;
  /** The servers that the bot is in and the operator lets through. */
  readonly guilds: () => readonly { readonly id: string; readonly name: string }[];
  /** @throws SendRefused for a channel that the bot cannot see */
  readonly membersOf: (channelId: string) => Readers;
  /** Looks again which channels there are. */
  readonly refresh: () => Promise<void>;
  /** A message as the agent understands it; `undefined` from a place that the operator does not let through. */
  readonly read: (message: APIMessage) => Promise<ChatMessage | undefined>;
  /** Whether the operator lets direct messages with a user through. */
  readonly mayWriteTo: (userId: string) => boolean;
  /** At most 25 characters: with it, a repeated request posts once. */
  readonly nonce: () => string;
}

export const guildArgument = z.string().min(1).describe('Server: its id or name');
