import { z } from 'zod';
import type { Locus } from '../locus.js';
import type { ChatMessage } from '../message.js';
import type { ChatPlatform } from '../platform.js';
import { ToolFailure } from './tool.js';

export const channelArgument = z.string().min(1).describe('Channel or thread: its id, or #name (Server)');

/** How a tool is told which message is meant. */
export const messageTarget = {
  messageId: z.string().min(1).optional().describe('Id of the message, as in fetch_history'),
  latestFrom: z
    .string()
    .min(1)
    .optional()
    .describe('Instead of messageId: the newest message of this author, by name or id'),
};

export interface MessageTarget {
  readonly messageId?: string | undefined;
  readonly latestFrom?: string | undefined;
}

/** How far back the newest message of somebody is looked for. */
const REACH = 100;

/** The id of the message that is meant. @throws ToolFailure that names what is wrong or what could be meant */
export const resolveMessage = async (
  platform: Pick<ChatPlatform, 'history'>,
  locus: Locus,
  { messageId, latestFrom }: MessageTarget,
): Promise<string> => {
  if ((messageId === undefined) === (latestFrom === undefined))
    throw new ToolFailure('name the message by messageId, or by latestFrom, and not by both');
  if (latestFrom === undefined) return messageId as string;
  const recent = await platform.history(locus, { limit: REACH });
  const found = recent.filter((message) => isFrom(message, latestFrom));
  const authors = new Map(found.map(({ author }) => [author.id, author.name]));
  if (authors.size > 1) {
    const choices = [...authors].map(([id, name]) => `${id} ${name}`).join(', ');
    throw new ToolFailure(`${latestFrom} could be any of ${authors.size} authors; use an id: ${choices}`);
  }
  const newest = found.at(-1);
  if (!newest)
    throw new ToolFailure(`nobody called ${latestFrom} is among the last ${recent.length} messages; use messageId`);
  return newest.messageId;
};

const isFrom = ({ author }: ChatMessage, who: string): boolean =>
  author.id === who || author.name.toLowerCase() === who.trim().replace(/^@/, '').toLowerCase();
