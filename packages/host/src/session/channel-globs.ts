import { globPattern } from '../glob.js';

/** Matches channel ids against globs, compiled once. */
export const channelGlobs = (globs: readonly string[]): ((channelId: string) => boolean) => {
  const patterns = globs.map(globPattern);
  return (channelId) => patterns.some((pattern) => pattern.test(channelId));
};
