import type { ContentBlock } from '@mcpl-bridges/protocol';
import type { ChatAttachment, ChatMessage } from '../message.js';

const attachmentLine = ({ name, size, url }: ChatAttachment): string => `[file ${name}, ${size} bytes: ${url}]`;

const body = (message: ChatMessage): string =>
  [message.text, ...message.attachments.map(attachmentLine)].filter((part) => part !== '').join('\n');

const speaker = ({ author, replyTo }: ChatMessage): string =>
  replyTo ? `${author.name} (replying to ${replyTo.authorName ?? replyTo.messageId})` : author.name;

const text = (value: string): ContentBlock[] => [{ type: 'text', text: value }];

/**
 * What the agent reads of a new message: `alice: deploy at 5`; of one that comes late
 * `alice (sent 2026-12-02 09:14 UTC): deploy at 5`.
 */
export const renderCreate = (message: ChatMessage, isLate = false): ContentBlock[] =>
  text(`${speaker(message)}${isLate ? ` (sent ${minute(message.createdAt)})` : ''}: ${body(message)}`);

/** `2026-12-02 09:14 UTC`. */
const minute = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`;

/** What it reads where more was missed than it can be told. */
export const renderGap = (before: ChatMessage | undefined): ContentBlock[] =>
  text(
    before === undefined
      ? '[messages are missing here: they are too old to be caught up with; fetch the history to read them]'
      : `[messages are missing here, from before ${minute(before.createdAt)}; fetch the history to read them]`,
  );

/** What it reads of an edited one: `alice (edited): deploy at 6`. */
export const renderEdit = (message: ChatMessage): ContentBlock[] =>
  text(`${speaker(message)} (edited): ${body(message)}`);

/** What it reads when a message that it may have read is gone: `[message deleted] 1234 by alice`. */
export const renderDeletion = (messageId: string, authorName: string | undefined): ContentBlock[] =>
  text(`[message deleted] ${messageId}${authorName === undefined ? '' : ` by ${authorName}`}`);

/** Everything about a message that the agent reads, as one value to compare revisions by. */
export const readableText = (message: ChatMessage): string => body(message);
