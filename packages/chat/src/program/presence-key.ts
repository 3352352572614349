import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from './errors.js';

/**
 * The key that is kept at `path`; made where there is none, for this account's eyes only.
 * @throws ConfigError where it can be neither read nor written
 */
export const keptKey = (path: string): Buffer => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new ConfigError(`${path} cannot be written; set MCPL_PRESENCE_KEY: ${message}`);
  }
  const key = Buffer.from(readFileSync(path, 'utf8').trim());
  if (key.byteLength < 16) throw new ConfigError(`${path} is too short for a key; remove it, and a new one is made`);
  return key;
};
