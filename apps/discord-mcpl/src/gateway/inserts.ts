import type { ChatAttachment, Insert } from '@mcpl-bridges/chat';
import type { APIAttachment, APIEmbed, APIPoll, GatewayMessageCreateDispatchData } from 'discord.js';

type Packet = Pick<
  GatewayMessageCreateDispatchData,
  'attachments' | 'embeds' | 'sticker_items' | 'poll' | 'components' | 'flags' | 'message_snapshots'
>;

const IS_COMPONENTS_V2 = 1 << 15;

/** Turns ids in text into names. */
export type Readable = (text: string) => string;

export const toAttachment = (file: APIAttachment): ChatAttachment => ({
  name: file.filename,
  size: file.size,
  url: file.url,
  ...(file.content_type === undefined ? {} : { contentType: file.content_type }),
  ...(file.duration_secs === undefined ? {} : { seconds: Math.round(file.duration_secs) }),
});

/** What a packet holds beside text and files, in the order in which people see it. */
export const toInserts = (packet: Packet, readable: Readable): Insert[] => [
  ...(packet.message_snapshots ?? []).map(({ message }): Insert => {
    const snapshot = message as Packet & { content?: string };
    return {
      kind: 'forward',
      text: readable(snapshot.content ?? ''),
      attachments: (snapshot.attachments ?? []).map(toAttachment),
      inserts: toInserts(snapshot, readable),
    };
  }),
  ...(packet.embeds ?? []).flatMap((embed) => toCard(embed, readable)),
  ...((packet.flags ?? 0) & IS_COMPONENTS_V2 ? componentCard(packet.components, readable) : []),
  ...(packet.sticker_items ?? []).map(({ name }): Insert => ({ kind: 'sticker', name })),
  ...(packet.poll ? [toPoll(packet.poll)] : []),
];

/** All others are previews of links that stand in the text. */
const isOwn = ({ type }: APIEmbed): boolean =>
  type === undefined || (type as string) === 'rich' || (type as string) === 'poll_result';

const toCard = (embed: APIEmbed, readable: Readable): Insert[] => {
  const { author, title, description, fields = [], footer, url, image } = embed;
  const lines = [
    author?.name,
    title,
    description,
    ...fields.map(({ name, value }) => `${name}: ${value}`),
    image && `image: ${image.url}`,
    footer?.text,
  ].flatMap((line) => (line ? [readable(line)] : []));
  return lines.length === 0 && url === undefined
    ? []
    : [{ kind: isOwn(embed) ? 'card' : 'preview', lines, ...(url === undefined ? {} : { url }) }];
};

interface Component {
  readonly content?: string;
  readonly label?: string;
  readonly description?: string;
  readonly media?: { readonly url?: string };
  readonly file?: { readonly url?: string };
  readonly items?: readonly Component[];
  readonly components?: readonly Component[];
  readonly accessory?: Component;
}

const componentCard = (components: unknown, readable: Readable): Insert[] => {
  const lines = ((components ?? []) as Component[]).flatMap(linesOf).map(readable);
  return lines.length === 0 ? [] : [{ kind: 'card', lines }];
};

const linesOf = (component: Component): string[] => [
  ...[component.content, component.label, component.description, component.media?.url, component.file?.url].flatMap(
    (line) => (line ? [line] : []),
  ),
  ...[...(component.items ?? []), ...(component.components ?? [])].flatMap(linesOf),
  ...(component.accessory ? linesOf(component.accessory) : []),
];

const toPoll = ({ question, answers, results }: APIPoll): Insert => ({
  kind: 'poll',
  question: question.text ?? '',
  answers: answers.map(({ answer_id, poll_media }) => {
    const count = results?.answer_counts.find(({ id }) => id === answer_id)?.count;
    const text = poll_media.text ?? poll_media.emoji?.name ?? '';
    return count === undefined ? { text } : { text, votes: count };
  }),
  isClosed: results?.is_finalized ?? false,
});
