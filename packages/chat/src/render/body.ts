import type { ChatAttachment, ChatMessage, Insert } from '../message.js';
import { oneLine, quoted } from './quoting.js';

const MAX_FIELD = 500;

const fileLine = ({ name, size, url, seconds }: ChatAttachment): string => {
  const what = seconds === undefined ? `file ${oneLine(name, 120)}, ${size} bytes` : `voice message, ${seconds} s`;
  return `[${what}: ${oneLine(url, MAX_FIELD)}]`;
};

const fileLines = (file: ChatAttachment): string[] => {
  const { inline } = file;
  if (inline?.kind === 'image') return [`[image ${oneLine(file.name, 120)}]`];
  if (inline?.kind !== 'text') return [fileLine(file)];
  const end = inline.isCut ? `[file ${oneLine(file.name, 120)} goes on: ${oneLine(file.url, MAX_FIELD)}]` : undefined;
  return [`[file ${oneLine(file.name, 120)}]`, `  ${quoted(inline.text)}`, ...(end === undefined ? [] : [end])];
};

const insertLines = (insert: Insert): string[] => {
  switch (insert.kind) {
    case 'forward': {
      const inner = [
        ...(insert.text === '' ? [] : [quoted(insert.text)]),
        ...insert.attachments.flatMap(fileLines),
        ...insert.inserts.flatMap(insertLines),
      ];
      return ['[forwarded message]', ...inner.flatMap((part) => part.split('\n')).map((line) => `  ${line}`)];
    }
    case 'sticker':
      return [`[sticker ${oneLine(insert.name, 60)}]`];
    case 'poll': {
      const answers = insert.answers.map(
        ({ text, votes }, i) => `  ${i + 1}. ${oneLine(text, 120)}${votes === undefined ? '' : ` (${votes})`}`,
      );
      return [`[poll${insert.isClosed ? ', closed' : ''}] ${oneLine(insert.question, 300)}`, ...answers];
    }
    case 'preview':
    case 'card': {
      const end = insert.url === undefined ? [] : [`  ${oneLine(insert.url, MAX_FIELD)}`];
      return [
        insert.kind === 'card' ? '[card]' : '[preview]',
        ...insert.lines.map((line) => `  ${quoted(line)}`),
        ...end,
      ];
    }
  }
};

/** What a message says, without who says it. The words of people are set in; our own lines are not. */
export const renderBody = ({
  text,
  attachments,
  inserts,
}: Pick<ChatMessage, 'text' | 'attachments' | 'inserts'>): string =>
  [...(text === '' ? [] : [quoted(text)]), ...attachments.flatMap(fileLines), ...inserts.flatMap(insertLines)].join(
    '\n',
  );

/**
 * Everything about a message that the agent reads, as one value to compare revisions by. How polls stand is no revision, and
 * neither are previews of links.
 */
export const readableText = ({ text, attachments, inserts }: ChatMessage): string =>
  renderBody({
    text,
    attachments: attachments.map(({ inline: _inline, ...file }) => ({ ...file, url: file.url.split('?')[0] ?? '' })),
    inserts: withoutPreviews(inserts).map((insert) =>
      insert.kind === 'poll'
        ? { ...insert, isClosed: false, answers: insert.answers.map(({ text: answer }) => ({ text: answer })) }
        : insert,
    ),
  });

export const withoutPreviews = (inserts: readonly Insert[]): readonly Insert[] =>
  inserts.filter(({ kind }) => kind !== 'preview');
