import { readFileSync } from 'node:fs';
import { type Callers, readCallers } from '@mcpl-bridges/presence';
import { ConfigError } from './errors.js';
import type { NamedPath } from './setting.js';

/** Whose tokens a file has. @throws ConfigError naming the file, the entry and what is wrong with it */
export const readTokens = ({ path, from }: NamedPath): Callers => {
  try {
    return readCallers(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${from}: ${path} ${(error as Error).message}`);
  }
};
