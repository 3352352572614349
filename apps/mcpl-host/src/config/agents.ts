import { z } from 'zod';

const ms = z.number().int().min(0, 'must be a number of milliseconds');

const behavior = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('immediate') }),
    z.strictObject({ kind: z.literal('debounce'), ms, maxMs: ms }),
    z.strictObject({ kind: z.literal('throttle'), perMs: ms }),
    z.strictObject({ kind: z.literal('skip') }),
  ],
  { error: 'must have a kind: immediate, debounce {ms, maxMs}, throttle {perMs} or skip' },
);

const globs = z.array(z.string()).optional();

const wake = z.strictObject({
  rules: z
    .array(
      z.strictObject({
        match: z.strictObject({ tagsAny: globs, tagsAll: globs, tagsNone: globs, source: globs, channel: globs }),
        behavior,
      }),
    )
    .default([]),
  otherwise: behavior,
});

const agent = z.strictObject({
  name: z.string().regex(/^[^/]+$/, 'must be a name without /'),
  /** `echo`, `echo-addressed` or `script:FILE`. Default: `--model`. */
  model: z.string().optional(),
  sources: globs,
  channels: globs,
  conversations: z.enum(['one', 'per-channel']).optional(),
  wake: wake.optional(),
});

const uniquelyNamed = (agents: readonly { name: string }[]): boolean =>
  new Set(agents.map(({ name }) => name)).size === agents.length;

/** What this host reads beside `mcpServers`. */
export const hostSection = z.strictObject({
  agents: z.array(agent).min(1).refine(uniquelyNamed, 'must have a name each').optional(),
  /** Most subjects that one server may have tracked at once. */
  maxSubjects: z.number().int().min(1).optional(),
});

export type AgentEntry = z.infer<typeof agent>;
