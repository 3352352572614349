import type { Redis } from 'ioredis';

/**
 * What a server's settings mean for what is kept there, a sentence each; none when they are as they should be. Many
 * hosted servers do not tell their settings.
 */
export const redisAdvice = async (server: Redis): Promise<string[]> => {
  try {
    const [, policy = ''] = (await server.config('GET', 'maxmemory-policy')) as string[];
    const [, fsync = ''] = (await server.config('GET', 'appendfsync')) as string[];
    const [, save = ''] = (await server.config('GET', 'save')) as string[];
    const [, appendOnly = ''] = (await server.config('GET', 'appendonly')) as string[];
    return [...evictionAdvice(policy), ...persistenceAdvice(appendOnly === 'yes', fsync, save)];
  } catch {
    return ['Redis does not tell its settings; it should have maxmemory-policy noeviction, and appendonly yes'];
  }
};

const evictionAdvice = (policy: string): string[] =>
  policy === 'noeviction'
    ? []
    : [
        `Redis has maxmemory-policy ${policy}: when its memory is full it forgets what was not delivered; set noeviction`,
      ];

const persistenceAdvice = (appendOnly: boolean, fsync: string, save: string): string[] => {
  if (!appendOnly && save === '')
    return ['Redis keeps nothing on disk: what was not delivered is lost with it; set appendonly yes'];
  if (!appendOnly) return ['Redis saves now and then only: a crash loses what came since; set appendonly yes'];
  return fsync === 'always'
    ? []
    : [`Redis has appendfsync ${fsync}: if its machine crashes, the last second is lost; always loses nothing`];
};
