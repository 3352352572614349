import type { ContentBlock } from '@mcpl-bridges/protocol';
import type { ChatAttachment, ChatMessage, Insert } from '../message.js';
import { renderBody } from './body.js';
import { oneLine, shownName } from './quoting.js';

/** How much is quoted of what a message replies to, characters. */
const MAX_QUOTE = 60;

const reply = ({ replyTo }: ChatMessage): string[] => {
  if (!replyTo) return [];
  const { messageId, authorName, text } = replyTo;
  const quote = text === undefined ? '' : oneLine(text, MAX_QUOTE).replaceAll('"', "'");
  return [
    `replying to ${authorName === undefined ? messageId : shownName(authorName)}${quote === '' ? '' : ` "${quote}"`}`,
  ];
};

const imagesOf = (attachments: readonly ChatAttachment[]): ContentBlock[] =>
  attachments.flatMap(({ inline }) =>
    inline?.kind === 'image' ? [{ type: 'image' as const, data: inline.data, mimeType: inline.mimeType }] : [],
  );

const insertedFiles = (inserts: readonly Insert[]): ChatAttachment[] =>
  inserts.flatMap((insert) =>
    insert.kind === 'forward' ? [...insert.attachments, ...insertedFiles(insert.inserts)] : [],
  );

const render = (message: ChatMessage, notes: readonly string[]): ContentBlock[] => {
  const name = shownName(message.author.name);
  const images = imagesOf([...message.attachments, ...insertedFiles(message.inserts)]);
  if (message.event !== undefined) return [{ type: 'text', text: `* ${name} ${message.event}` }, ...images];
  const all = [...reply(message), ...notes];
  const speaker = all.length === 0 ? name : `${name} (${all.join(', ')})`;
  return [{ type: 'text', text: `${speaker}: ${renderBody(message)}` }, ...images];
};

/**
 * What the agent reads of a new message: `alice: deploy at 5`; of one that comes late
 * `alice (sent 2026-12-02 09:14 UTC): deploy at 5`.
 */
export const renderCreate = (message: ChatMessage, isLate = false): ContentBlock[] =>
  render(message, [
    ...(isLate ? [`sent ${minute(message.createdAt)}`] : []),
    ...(message.editedAt === undefined ? [] : ['edited']),
  ]);

/** What it reads of an edited one: `alice (edited): deploy at 6`. */
export const renderEdit = (message: ChatMessage): ContentBlock[] => render(message, ['edited']);

/** `2026-12-02 09:14 UTC`. */
const minute = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`;

/** What it reads where more was missed than it can be told. */
export const renderGap = (before: ChatMessage | undefined): ContentBlock[] => [
  {
    type: 'text',
    text:
      before === undefined
        ? '[messages are missing here: they are too old to be caught up with; fetch the history to read them]'
        : `[messages are missing here, from before ${minute(before.createdAt)}; fetch the history to read them]`,
  },
];

/** What it reads when a message that it may have read is gone: `[message deleted] 1234 by alice`. */
export const renderDeletion = (messageId: string, authorName: string | undefined): ContentBlock[] => [
  {
    type: 'text',
    text: `[message deleted] ${messageId}${authorName === undefined ? '' : ` by ${shownName(authorName)}`}`,
  },
];
