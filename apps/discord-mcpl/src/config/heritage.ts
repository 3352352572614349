import { readFileSync } from 'node:fs';
import type { Heritage } from '@mcpl-bridges/chat';
import { z } from 'zod';
import type { Config } from './config.js';
import { ConfigError } from './config-error.js';

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
  const marks = read('DISCORD_WATERMARK_FILE', files.watermarkFile, watermarks);
  return {
    open: read('DISCORD_SUBSCRIPTIONS_FILE', files.subscriptionsFile, channels) ?? [],
    muted: read('DISCORD_MUTED_CHANNELS_FILE', files.mutedChannelsFile, channels) ?? [],
    reactions: read('DISCORD_REACTION_CHANNELS_FILE', files.reactionChannelsFile, channels) ?? [],
    newest: marks?.watermarks ?? {},
    privateLanes: marks?.dmChannels ?? [],
  };
};

const read = <T>(variable: string, path: string | undefined, schema: z.ZodType<T>): T | undefined => {
  if (path === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError(`${variable} names ${path}, which cannot be read: ${(error as Error).message}`);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new ConfigError(`${variable} names ${path}, which does not hold what that file should`);
  }
};
