const FENCE = '```';
/** What must not be cut: mentions, channel links, custom emoji and timestamps. */
const TOKEN = /<(?:@[!&]?|#|a?:\w+:|t:)\d+(?::\w)?>/g;

/** The fence that is open after `line`, as the text that opens it again; `undefined` when none is. */
const fenceAfter = (open: string | undefined, line: string): string | undefined => {
  const marks = line.split(FENCE).length - 1;
  if (marks % 2 === 0) return open;
  if (open !== undefined) return undefined;
  const info = line.slice(line.lastIndexOf(FENCE) + FENCE.length).trim();
  return /^[\w+#.-]{0,20}$/.test(info) ? `${FENCE}${info}` : FENCE;
};

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** The best place to cut `text` at or before `limit`: after a space, never inside a token or a surrogate pair. */
const cutAt = (text: string, limit: number): number => {
  const space = text.lastIndexOf(' ', limit - 1);
  let at = space > limit / 2 ? space + 1 : limit;
  for (const { index, 0: token } of text.matchAll(TOKEN))
    if (index < at && at < index + token.length && index > 0) at = index;
  return isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at;
};

/**
 * Splits text into posts of at most `limit` UTF-16 units, `first` for the first one. Cuts between lines where it can; a code fence that spans a cut
 * is closed before it and opened again after it. Parts of nothing but white space are left out.
 */
export const splitText = (text: string, limit: number, first = limit): string[] => {
  if (text.length <= first) return text.trim() === '' ? [] : [text];
  const parts: string[] = [];
  let part = '';
  let fence: string | undefined;
  let empty = true;

  const closing = (open: string | undefined): number => (open === undefined ? 0 : FENCE.length + 1);
  const flush = (): void => {
    const whole = fence === undefined ? part : `${part}\n${FENCE}`;
    if (!empty && whole.trim() !== '') parts.push(whole);
    part = fence ?? '';
    empty = true;
  };
  const room = (after: string | undefined): number =>
    (parts.length === 0 ? first : limit) -
    Math.max(closing(fence), closing(after)) -
    (part === '' && empty ? 0 : part.length + 1);
  const add = (line: string): void => {
    part = part === '' && empty ? line : `${part}\n${line}`;
    empty = false;
  };

  for (const line of text.split('\n')) {
    let rest = line;
    const after = fenceAfter(fence, line);
    if (rest.length > room(after)) flush();
    while (rest.length > room(after)) {
      const at = cutAt(rest, room(after));
      add(rest.slice(0, at));
      rest = rest.slice(at);
      flush();
    }
    add(rest);
    fence = after;
  }
  flush();
  return parts;
};
