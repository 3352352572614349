import { z } from 'zod';

/** The reserved `chat:*` vocabulary (SPEC §16.2). */
export const CORE_TAGS = [
  'chat:addressed',
  'chat:mention',
  'chat:reply',
  'chat:dm',
  'chat:ambient',
  'chat:broadcast',
  'chat:to-self',
  'chat:from-human',
  'chat:from-bot',
  'chat:from-self',
  'chat:from-agent',
  'chat:edited',
  'chat:deleted',
  'chat:reaction',
  'chat:reaction-remove',
  'chat:has-image',
  'chat:has-audio',
  'chat:has-file',
  'chat:has-link',
  'chat:command',
  'chat:private',
  'chat:group',
  'chat:thread',
] as const;

export type CoreTag = (typeof CORE_TAGS)[number];

/** A tag: `namespace:value` or `namespace:key=value` (SPEC §16.1). */
export const tag = z.string().regex(/^[^:\s]+:\S+$/, 'must be namespace:value');

const IMPLIES: Readonly<Record<string, readonly CoreTag[]>> = {
  'chat:mention': ['chat:addressed'],
  'chat:reply': ['chat:addressed'],
  'chat:dm': ['chat:addressed', 'chat:private'],
};

/**
 * Expands the normative closure and resolves `addressed` against `ambient` by dropping the latter (SPEC §16.3). Result
 * is deduplicated, in order of first appearance. Producer-declared `implies` edges are never applied here.
 */
export const closeTags = (tags: readonly string[]): string[] => {
  const closed = new Set<string>();
  const add = (one: string): void => {
    if (closed.has(one)) return;
    closed.add(one);
    for (const implied of IMPLIES[one] ?? []) add(implied);
  };
  for (const one of tags) add(one);
  if (closed.has('chat:addressed')) closed.delete('chat:ambient');
  return [...closed];
};

const tagRule = z.looseObject({
  tagsAny: z.array(z.string()).optional(),
  tagsAll: z.array(z.string()).optional(),
  tagsNone: z.array(z.string()).optional(),
});

/** What a producer says about the tags it emits: a hint, open-world, never policy (SPEC §16.4). */
export const tagOntology = z.looseObject({
  coreTags: z.array(z.string()).optional(),
  tags: z
    .record(
      z.string(),
      z.looseObject({
        desc: z.string().optional(),
        facet: z.string().optional(),
        implies: z.array(z.string()).optional(),
        stability: z.string().optional(),
      }),
    )
    .optional(),
  keyed: z.record(z.string(), z.looseObject({ values: z.array(z.string()).optional() })).optional(),
  suggestedTreatment: z.array(tagRule).optional(),
  open: z.boolean().optional(),
});
export type TagOntology = z.infer<typeof tagOntology>;
