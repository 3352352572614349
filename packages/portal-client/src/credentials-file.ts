import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Credentials } from './session/session.js';

const credentials = z.looseObject({ personaId: z.string().min(1), token: z.string().min(1) });

/** Reads credentials; nothing where there is no file. @throws Error for a file that holds none */
export const readCredentials = (path: string): Credentials | undefined => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const read = credentials.safeParse(parsed(text));
  if (!read.success) throw new Error(`${path} holds no credentials: it must be JSON with personaId and token`);
  return { personaId: read.data.personaId, token: read.data.token };
};

/** Writes credentials for their owner's eyes only, whole or not at all. */
export const writeCredentials = (path: string, { personaId, token }: Credentials): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${process.pid}.new`;
  writeFileSync(beside, `${JSON.stringify({ personaId, token }, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(beside, path);
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
