import { type Content, toBlocks } from '@mcpl-bridges/protocol';
import type { OutgoingFile, OutgoingPart } from '../platform.js';
import { splitText } from '../render/split.js';

/** What became of a post that may have needed several messages. */
export type Delivery =
  | { readonly kind: 'sent'; readonly messageIds: readonly string[] }
  | { readonly kind: 'partly'; readonly messageIds: readonly string[]; readonly parts: number; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

const extension = (mimeType: string): string => (mimeType.split('/')[1] ?? 'bin').replace(/[^a-z0-9].*$/i, '');

/** Text, and files for what is no text; media known only by link become the link. */
const readContent = (content: Content): { text: string; files: OutgoingFile[] } => {
  const lines: string[] = [];
  const files: OutgoingFile[] = [];
  for (const block of toBlocks(content)) {
    if (block.type === 'text') lines.push(block.text);
    else if (block.type !== 'resource' && block.data !== undefined) {
      const mimeType = block.mimeType ?? 'application/octet-stream';
      files.push({
        name: `${block.type}-${files.length + 1}.${extension(mimeType)}`,
        bytes: Buffer.from(block.data, 'base64'),
        mimeType,
      });
    } else if (block.uri !== undefined) lines.push(block.uri);
  }
  return { text: lines.join('\n'), files };
};

/** What a post has beside its content. */
export interface Extras {
  readonly replyTo?: string | undefined;
  readonly mentions?: readonly string[] | undefined;
  readonly files?: readonly OutgoingFile[] | undefined;
}

/**
 * Cuts content into posts: the reply reference and the mentions on the first, the files on the last.
 * @param unitsBefore how much of the first one's limit is taken
 */
export const toParts = (
  content: Content,
  limit: number,
  { replyTo, mentions = [], files: attached = [] }: Extras = {},
  unitsBefore = 0,
): OutgoingPart[] => {
  const { text, files: embedded } = readContent(content);
  const files = [...embedded, ...attached];
  const texts = splitText(text, limit, limit - unitsBefore);
  if (texts.length === 0 && files.length > 0) texts.push('');
  return texts.map((part, i) => ({
    text: part,
    files: i === texts.length - 1 ? files : [],
    ...(i === 0 && replyTo !== undefined ? { replyTo } : {}),
    ...(i === 0 && mentions.length > 0 ? { mentions } : {}),
  }));
};

/** The delivery in one sentence. */
export const describeDelivery = (delivery: Delivery): string => {
  switch (delivery.kind) {
    case 'sent':
      return `posted as ${delivery.messageIds.join(', ')}`;
    case 'partly':
      return `only ${delivery.messageIds.length} of ${delivery.parts} parts were posted (${delivery.messageIds.join(', ')}): ${delivery.reason}`;
    case 'refused':
      return `not posted: ${delivery.reason}`;
  }
};
