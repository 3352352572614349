import { readFileSync } from 'node:fs';
import type { Heritage } from '@mcpl-bridges/chat';
import { ConfigError, type NamedPath } from '@mcpl-bridges/chat/program';
import { z } from 'zod';
import type { Config } from './config.js';

type Files = Pick<Config, 'subscriptionsFile' | 'mutedChannelsFile' | 'reactionChannelsFile' | 'watermarkFile'>;

const channels = z.array(z.string());

const watermarks = z.object({
  watermarks: z.record(z.string(), z.string()).default({}),
  dmChannels: z.array(z.string()).default([]),
});

/**
 * What another Discord bridge has left in its files, under the names that it knows them by. A file that is not there
 * holds nothing.
 * @throws ConfigError naming the variable and what is wrong with the file
 */
export const readHeritage = (files: Files): Heritage => {
  const marks = read(files.watermarkFile, watermarks);
  return {
    open: read(files.subscriptionsFile, channels) ?? [],
    muted: read(files.mutedChannelsFile, channels) ?? [],
    reactions: read(files.reactionChannelsFile, channels) ?? [],
    newest: marks?.watermarks ?? {},
    privateLanes: marks?.dmChannels ?? [],
  };
};

const read = <T>(file: NamedPath | undefined, schema: z.ZodType<T>): T | undefined => {
  if (file === undefined) return undefined;
  const { path, from } = file;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError(`${from} names ${path}, which cannot be read: ${(error as Error).message}`);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new ConfigError(`${from} names ${path}, which does not hold what that file should`);
  }
};
