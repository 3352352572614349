import type { Log } from '@mcpl-bridges/producer';
import { imageSize } from 'image-size';
import type { ChatAttachment, ChatMessage, Insert } from './message.js';
import type { ChatPlatform } from './platform.js';

export interface InlineLimits {
  /** Bytes of a text file that are shown. Default 5,120. */
  readonly textBytes: number;
  /** Bytes of an image, which is shown whole or not at all. Default 4 MiB. */
  readonly imageBytes: number;
  /** Width and height of an image. Default 8,192. */
  readonly imageSide: number;
  /** Files of one message that are looked into. Default 4. */
  readonly files: number;
}

export const DEFAULT_INLINE_LIMITS: InlineLimits = {
  textBytes: 5120,
  imageBytes: 4 * 1_048_576,
  imageSide: 8192,
  files: 4,
};

/** Images that models read. */
const IMAGE_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

const TEXT_TYPE = /^(text\/|application\/(json|xml|yaml|x-yaml|toml|javascript|x-sh|sql)\b)/;
const TEXT_NAME =
  /\.(txt|md|log|csv|tsv|json|ya?ml|toml|xml|ini|cfg|conf|diff|patch|sql|sh|[cm]?[jt]sx?|py|rs|go|c|h|cpp|java|rb|html|css)$/i;

type Inline = NonNullable<ChatAttachment['inline']>;

/** What a file is, by what is in it; `undefined` for what cannot be shown. Its name and its sender's word do not count. */
export const readInline = (bytes: Uint8Array, isCut: boolean, limits: InlineLimits): Inline | undefined => {
  const image = readImage(bytes);
  if (image) {
    const fits = !isCut && Math.max(image.width, image.height) <= limits.imageSide;
    return fits ? { kind: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: image.mimeType } : undefined;
  }
  const text = readText(bytes.subarray(0, limits.textBytes));
  return text === undefined ? undefined : { kind: 'text', text, isCut: isCut || bytes.length > limits.textBytes };
};

const readImage = (bytes: Uint8Array): { mimeType: string; width: number; height: number } | undefined => {
  try {
    const { type = '', width, height } = imageSize(bytes);
    const mimeType = IMAGE_TYPES[type];
    return mimeType === undefined ? undefined : { mimeType, width, height };
  } catch {
    return undefined;
  }
};

/** The longest beginning that is text, where all but a character that was cut through is. */
const readText = (bytes: Uint8Array): string | undefined => {
  for (let end = bytes.length; end >= Math.max(0, bytes.length - 3); end--) {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end));
      return text.includes('\0') ? undefined : text;
    } catch {
      // Perhaps one byte less is whole.
    }
  }
  return undefined;
};

/** How many bytes of a file are worth fetching; 0 for one that is not looked into. */
const worth = ({ name, size, contentType }: ChatAttachment, limits: InlineLimits): number => {
  if (contentType?.startsWith('image/')) return size <= limits.imageBytes ? limits.imageBytes : 0;
  const isText = contentType === undefined ? TEXT_NAME.test(name) : TEXT_TYPE.test(contentType);
  return isText ? limits.textBytes : 0;
};

export interface AttachmentContext {
  readonly platform: Pick<ChatPlatform, 'download'>;
  readonly limits: InlineLimits;
  readonly log: Log;
}

/** A message with what can be shown of its files. What cannot be fetched stays a link. */
export const withInlines = async (message: ChatMessage, context: AttachmentContext): Promise<ChatMessage> => {
  let left = context.limits.files;
  const look = async (file: ChatAttachment): Promise<ChatAttachment> => {
    const most = worth(file, context.limits);
    if (most === 0 || left === 0) return file;
    left -= 1;
    try {
      const { bytes, isCut } = await context.platform.download(file.url, most);
      const inline = readInline(bytes, isCut, context.limits);
      return inline ? { ...file, inline } : file;
    } catch (error) {
      context.log.debug({ messageId: message.messageId, reason: (error as Error).message }, 'a file stays a link');
      return file;
    }
  };
  const lookInto = async (insert: Insert): Promise<Insert> =>
    insert.kind === 'forward'
      ? {
          ...insert,
          attachments: await Promise.all(insert.attachments.map(look)),
          inserts: await Promise.all(insert.inserts.map(lookInto)),
        }
      : insert;
  return {
    ...message,
    attachments: await Promise.all(message.attachments.map(look)),
    inserts: await Promise.all(message.inserts.map(lookInto)),
  };
};
