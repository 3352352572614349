import type { OccurrenceReport, Turn } from '@mcpl-bridges/host';

/** What the demo says, a line each. */
type Line =
  | {
      readonly type: 'occurrence';
      readonly eventId: string;
      readonly lane: string;
      readonly channelId: string | null;
      readonly key: string | null;
      readonly outcome: string;
    }
  | { readonly type: 'turn'; readonly n: number; readonly context: readonly string[] }
  | { readonly type: 'published'; readonly channelId: string; readonly messageId: string | null; readonly text: string }
  | { readonly type: 'unpublished'; readonly channelId: string; readonly reason: string; readonly text: string }
  | { readonly type: 'done'; readonly ok: boolean; readonly problems?: readonly string[] };

const indent = (text: string): string => text.replaceAll('\n', '\n      ');

const forPeople = (line: Line): string => {
  switch (line.type) {
    case 'occurrence':
      return `  · ${line.eventId}  →  ${line.outcome}   (${line.lane})`;
    case 'turn':
      return [`turn ${line.n}: the model reads`, ...line.context.map((text) => `    | ${indent(text)}`)].join('\n');
    case 'published':
      return `  → published to ${line.channelId}: ${line.text}`;
    case 'unpublished':
      return `  → NOT published to ${line.channelId}, ${line.reason}: ${line.text}`;
    case 'done':
      return line.ok ? 'done: what the model read is what the channel said' : `NOT OK: ${line.problems?.join('; ')}`;
  }
};

export type Say = (line: Line) => void;

/** What the host decided about an occurrence. */
export const sayOccurrence = (say: Say, { eventId, lane, channelId, key, outcome }: OccurrenceReport): void =>
  say({ type: 'occurrence', eventId, lane, channelId, key, outcome });

/** What the model read at a turn, and what was published of its answer. */
export const sayTurn = (say: Say, { n, context, reply, published }: Turn): void => {
  say({ type: 'turn', n, context });
  if (!published || !reply) return;
  const { channelId, kind } = published;
  const { text } = reply;
  if (kind === 'delivered') say({ type: 'published', channelId, messageId: published.messageId ?? null, text });
  if (kind === 'refused') say({ type: 'unpublished', channelId, reason: published.reason, text });
  if (kind === 'unconfirmed') say({ type: 'unpublished', channelId, reason: published.why, text });
};

export const sayTo =
  (out: NodeJS.WritableStream, json: boolean): Say =>
  (line) =>
    void out.write(`${json ? JSON.stringify(line) : forPeople(line)}\n`);
