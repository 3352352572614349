import { readFileSync } from 'node:fs';
import { ConfigError } from './errors.js';

type Env = Readonly<Record<string, string | undefined>>;

/** A secret from `NAME`, or from the file that `NAME_FILE` names. Empty counts as unset. @throws ConfigError */
export const readSecret = (env: Env, name: string): string | undefined => {
  const direct = env[name]?.trim();
  if (direct) return direct;
  const file = env[`${name}_FILE`]?.trim();
  if (!file) return undefined;
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text === '') throw new ConfigError(`${name}_FILE names ${file}, which is empty`);
    return text;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${name}_FILE names ${file}, which cannot be read: ${(error as Error).message}`);
  }
};
