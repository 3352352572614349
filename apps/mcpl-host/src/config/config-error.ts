import type { z } from 'zod';

/** A configuration that cannot work; names the file, the place in it and what it should be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The first thing that is wrong, at its path under `at`. */
export const firstConfigProblem = (path: string, error: z.ZodError, at: string): ConfigError => {
  const issue = error.issues[0];
  const where = [at, ...(issue?.path.map(String) ?? [])].filter((part) => part !== '').join('.');
  const what =
    issue?.code === 'unrecognized_keys' ? `has no member ${issue.keys.join(', ')}` : (issue?.message ?? 'is not valid');
  return new ConfigError(`${path}: ${where || 'the file'}: ${what}`);
};
