import type { RestartPolicy } from '@mcpl-bridges/host';
import { z } from 'zod';
import { ConfigError, firstConfigProblem } from './config-error.js';
import { expandVariables } from './expand.js';
import { faults } from './faults.js';

const restart = z.strictObject({
  when: z.enum(['always', 'on-failure', 'never']),
  firstMs: z.number().int().min(1).optional(),
  maxMs: z.number().int().min(1).optional(),
});

/** What the operator allows a server, and how this host treats it. */
const mcpl = z.strictObject({
  capabilities: z.array(z.string()).optional(),
  enabled: z.array(z.string()).optional(),
  disabled: z.array(z.string()).optional(),
  channels: z.array(z.string()).optional(),
  /** Channel id globs to open as soon as they are registered. */
  open: z.array(z.string()).default([]),
  principal: z.string().optional(),
  /** Default: `on-failure` for what is started here, `always` for what is dialled. */
  restart: restart.optional(),
  /** ms; at least an hour. Default: the profile's. */
  retryWindowMs: z.number().int().min(3_600_000, 'must be at least 3600000').optional(),
  /** How long a profile that holds early traffic holds it after the policy, ms. */
  holdMs: z.number().int().min(0).optional(),
  faults: faults.optional(),
});

// Members of other hosts are left alone: these files are shared between programs.
const spawned = z.looseObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
  mcpl: mcpl.default({ open: [] }),
});
const dialled = z.looseObject({
  url: z.string().regex(/^wss?:\/\//, 'must be a ws:// or wss:// URL'),
  token: z.string().optional(),
  mcpl: mcpl.default({ open: [] }),
});
const awaited = z.looseObject({
  listen: z.string().regex(/^.+:\d+$/, 'must be host:port'),
  token: z.string({ error: 'must be a token: whoever brings it is this server' }).min(1),
  mcpl: mcpl.default({ open: [] }),
});

export type ServerEntry =
  | ({ readonly kind: 'spawned' } & z.infer<typeof spawned>)
  | ({ readonly kind: 'dialled' } & z.infer<typeof dialled>)
  | ({ readonly kind: 'awaited' } & z.infer<typeof awaited>);

/** How a server is kept connected. */
export const restartOf = ({ kind, mcpl: { restart } }: ServerEntry): RestartPolicy =>
  restart ?? { when: kind === 'spawned' ? 'on-failure' : 'always' };

type Env = Readonly<Record<string, string | undefined>>;

/** One server's entry, with `${NAME}` for variables. @param where in the file at `path` it stands @throws ConfigError */
export const readServer = (path: string, where: string, entry: unknown, env: Env): ServerEntry => {
  const kind = kindOf(entry);
  const schema = { spawned, dialled, awaited }[kind];
  const parsed = schema.safeParse(expanded(path, where, entry, env));
  if (!parsed.success) throw firstConfigProblem(path, parsed.error, where);
  return { kind, ...parsed.data } as ServerEntry;
};

const kindOf = (entry: unknown): ServerEntry['kind'] => {
  const has = (member: string): boolean => Object.hasOwn((entry ?? {}) as object, member);
  if (has('listen')) return 'awaited';
  return has('url') ? 'dialled' : 'spawned';
};

const expanded = (path: string, where: string, entry: unknown, env: Env): unknown => {
  try {
    return expandVariables(entry, env);
  } catch (error) {
    throw new ConfigError(`${path}: ${where}: ${(error as Error).message}`);
  }
};
