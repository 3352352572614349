const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches channel ids against globs in which `*` stands for any run of characters. */
export const channelGlobs = (globs: readonly string[]): ((channelId: string) => boolean) => {
  const patterns = globs.map((glob) => new RegExp(`^${glob.split('*').map(escapeRegExp).join('.*')}$`, 's'));
  return (channelId) => patterns.some((pattern) => pattern.test(channelId));
};
