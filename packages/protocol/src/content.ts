import { z } from 'zod';

const media = <T extends 'image' | 'audio'>(type: T) =>
  z
    .looseObject({
      type: z.literal(type),
      data: z.string().optional(),
      mimeType: z.string().optional(),
      uri: z.string().optional(),
    })
    .refine((block) => block.uri !== undefined || (block.data !== undefined && block.mimeType !== undefined), {
      message: `${type} needs either uri, or data with mimeType`,
    });

export const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() });
export const imageBlock = media('image');
export const audioBlock = media('audio');
export const resourceBlock = z.looseObject({ type: z.literal('resource'), uri: z.string() });

/** One piece of content (SPEC §10.3, Appendix B.1). Unknown members pass through. */
export const contentBlock = z.union([textBlock, imageBlock, audioBlock, resourceBlock]);
export type ContentBlock = z.infer<typeof contentBlock>;

export const contentBlocks = z.array(contentBlock);

/** Content as a list, or a plain string standing for one text block (SPEC §10.3). */
export const content = z.union([z.string(), contentBlocks]);
export type Content = z.infer<typeof content>;

export const toBlocks = (value: Content): ContentBlock[] =>
  typeof value === 'string' ? [{ type: 'text', text: value }] : value;

/** The text of `value`, block by block, joined with newlines; blocks without text are left out. */
export const plainText = (value: Content): string =>
  toBlocks(value)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
