import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { expandVariables } from './expand.js';

/** A configuration that cannot work; names the file, the place in it and what it should be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** What the operator allows a server, and which of its channels the host opens. */
const mcpl = z.strictObject({
  capabilities: z.array(z.string()).optional(),
  enabled: z.array(z.string()).optional(),
  disabled: z.array(z.string()).optional(),
  channels: z.array(z.string()).optional(),
  /** Channel id globs to open as soon as they are registered. */
  open: z.array(z.string()).default([]),
  principal: z.string().optional(),
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

export type ServerEntry =
  | ({ readonly kind: 'spawned' } & z.infer<typeof spawned>)
  | ({ readonly kind: 'dialled' } & z.infer<typeof dialled>);

const file = z.looseObject({ mcpServers: z.record(z.string(), z.looseObject({})) });

const problem = (path: string, error: z.ZodError, at: string): ConfigError => {
  const issue = error.issues[0];
  const where = [at, ...(issue?.path.map(String) ?? [])].filter((part) => part !== '').join('.');
  const what =
    issue?.code === 'unrecognized_keys' ? `has no member ${issue.keys.join(', ')}` : (issue?.message ?? 'is not valid');
  return new ConfigError(`${path}: ${where || 'the file'}: ${what}`);
};

/** Reads a file in the `mcpServers` shape, with `${NAME}` for variables. @throws ConfigError */
export const readServers = (
  path: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): ReadonlyMap<string, ServerEntry> => {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${path} cannot be read as JSON: ${(error as Error).message}`);
  }
  const whole = file.safeParse(value);
  if (!whole.success) throw problem(path, whole.error, '');
  return new Map(
    Object.entries(whole.data.mcpServers).map(([name, entry]) => {
      const isDialled = 'url' in entry;
      const parsed = (isDialled ? dialled : spawned).safeParse(expanded(path, name, entry, env));
      if (!parsed.success) throw problem(path, parsed.error, `mcpServers.${name}`);
      return [name, { kind: isDialled ? 'dialled' : 'spawned', ...parsed.data } as ServerEntry];
    }),
  );
};

const expanded = (
  path: string,
  name: string,
  entry: unknown,
  env: Readonly<Record<string, string | undefined>>,
): unknown => {
  try {
    return expandVariables(entry, env);
  } catch (error) {
    throw new ConfigError(`${path}: mcpServers.${name}: ${(error as Error).message}`);
  }
};
