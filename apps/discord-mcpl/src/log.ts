import { type DestinationStream, type Logger, multistream, pino } from 'pino';
import type { Config } from './config/config.js';
import { ConfigError } from './config/config-error.js';

/**
 * The log goes to standard error, as standard output is the hosts'; and, with a file for it, all of it to that file.
 * @throws ConfigError for a file that cannot be written
 */
export const openLog = ({ logLevel, debugLog }: Pick<Config, 'logLevel' | 'debugLog'>): Logger => {
  const name = 'discord-mcpl';
  const stderr = pino.destination({ fd: 2, sync: true });
  if (debugLog === undefined) return pino({ name, level: logLevel }, stderr);
  const streams = [
    ...(logLevel === 'silent' ? [] : [{ level: logLevel, stream: stderr }]),
    { level: 'debug' as const, stream: fileFor(debugLog) },
  ];
  return pino({ name, level: logLevel === 'trace' ? 'trace' : 'debug' }, multistream(streams));
};

const fileFor = (dest: string): DestinationStream => {
  try {
    return pino.destination({ dest, append: true, sync: true, mode: 0o600 });
  } catch (error) {
    throw new ConfigError(`DISCORD_MCPL_DEBUG_LOG: ${(error as Error).message}`);
  }
};
