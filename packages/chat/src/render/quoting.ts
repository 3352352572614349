/**
 * Characters that hide or turn text around: bidirectional controls, zero-width spaces and marks, and control characters
 * other than line ends and tabs. What joins emoji and letters stays.
 */
const HIDDEN = /(?!\n|\t|\u200c|\u200d|[\u0600-\u0605\u06dd])[\p{Cc}\p{Cf}]/gu;

const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;

/** Text as it can be seen, in lines. */
const visibleLines = (text: string): string[] => text.replace(LINE_END, '\n').replace(HIDDEN, '').split('\n');

/** Text on one line, at most `limit` characters. */
export const oneLine = (text: string, limit: number): string => {
  const line = visibleLines(text).join(' ').replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= limit
    ? line
    : `${characters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`;
};

/** What stands at the beginning of our own lines, and must not stand at the beginning of anybody else's. */
const OURS = /^(\s*)\[(?=(?:message|messages|file|image|voice|sticker|poll|forward|card|preview)\b)/i;

/** Lines of somebody's words, so that none of them looks like one of ours: those after the first are set in. */
export const quoted = (text: string): string =>
  visibleLines(text)
    .map((line) => line.replace(OURS, '$1\\['))
    .join('\n  ');

const MAX_NAME = 80;

/** Names that could be taken for a part of a line are put in quotes. */
const PLAIN_NAME = /^[^\s[\]():"<>«»\\]+(?: [^\s[\]():"<>«»\\]+)*$/u;

/** A name as it stands in our lines. */
export const shownName = (name: string): string => {
  const line = oneLine(name, MAX_NAME);
  return PLAIN_NAME.test(line) ? line : `"${line.replaceAll('"', "'")}"`;
};
