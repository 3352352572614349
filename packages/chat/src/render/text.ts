import type { ContentBlock } from '@mcpl-bridges/protocol';
import type { ChatAttachment, ChatMessage, Insert } from '../message.js';
import { renderBody } from './body.js';
import { oneLine, shownName } from './quoting.js';
import type { TellTime } from './times.js';

/** How much is quoted of what a message replies to, characters. */
const MAX_QUOTE = 60;

const MAX_PLACE = 120;

const MAX_NOTE = 300;

/** What is said about a message beside what it says. */
export interface Remarks {
  readonly tellTime: TellTime;
  /** The place it was said in, as `#general (Home)`, where that has to be said. */
  readonly place?: string | undefined;
  /** It comes so late that its own time has to be said. */
  readonly isLate?: boolean;
  /** How many messages the agent has missed in this channel, where that has to be said. */
  readonly missed?: number;
}

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

/** `[#general (Home)] `: brackets are ours. */
const header = (place: string | undefined): string =>
  place === undefined ? '' : `[${oneLine(place, MAX_PLACE).replaceAll('[', '(').replaceAll(']', ')')}] `;

const render = (message: ChatMessage, place: string | undefined, notes: readonly string[]): ContentBlock[] => {
  const name = shownName(message.author.name);
  const images = imagesOf([...message.attachments, ...insertedFiles(message.inserts)]);
  if (message.event !== undefined)
    return [{ type: 'text', text: `${header(place)}* ${name} ${message.event}` }, ...images];
  const all = [...reply(message), ...notes];
  const speaker = all.length === 0 ? name : `${name} (${all.join(', ')})`;
  return [{ type: 'text', text: `${header(place)}${speaker}: ${renderBody(message)}` }, ...images];
};

/**
 * What the agent reads of a new message: `[#general (Home)] alice: deploy at 5`; of one that comes late
 * `alice (sent 2026-12-02 09:14 UTC): deploy at 5`.
 */
export const renderCreate = (message: ChatMessage, remarks: Remarks): ContentBlock[] => {
  const { tellTime, place, isLate = false, missed = 0 } = remarks;
  const time = isLate ? tellTime(message.createdAt) || 'earlier' : undefined;
  return render(message, place, [
    ...(time === undefined ? [] : [`sent ${time}`]),
    ...(message.editedAt === undefined ? [] : ['edited']),
    ...(missed === 0 ? [] : [`${missed} ${missed === 1 ? 'message' : 'messages'} missed here`]),
  ]);
};

/** What it reads of an edited one: `alice (edited): deploy at 6`. */
export const renderEdit = (message: ChatMessage, { place }: Pick<Remarks, 'place'>): ContentBlock[] =>
  render(message, place, ['edited']);

/** What it reads of something that the platform tells without a message: `* the thread was archived`. */
export const renderNote = (text: string): ContentBlock[] => [{ type: 'text', text: `* ${oneLine(text, MAX_NOTE)}` }];

/** What it reads where more was missed than it can be told. */
export const renderGap = (before: ChatMessage | undefined, tellTime: TellTime): ContentBlock[] => {
  const time = before === undefined ? '' : tellTime(before.createdAt);
  const why =
    before === undefined
      ? ': they are too old to be caught up with; fetch the history to read them'
      : `${time === '' ? '' : `, from before ${time}`}; fetch the history to read them`;
  return [{ type: 'text', text: `[messages are missing here${why}]` }];
};

/** What it reads when a message that it may have read is gone: `[message deleted] 1234 by alice`. */
export const renderDeletion = (messageId: string, authorName: string | undefined): ContentBlock[] => [
  {
    type: 'text',
    text: `[message deleted] ${messageId}${authorName === undefined ? '' : ` by ${shownName(authorName)}`}`,
  },
];
