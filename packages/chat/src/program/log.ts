import { type DestinationStream, type Logger, multistream, pino } from 'pino';
import type { BridgeConfig } from './bridge-settings.js';
import { ConfigError } from './errors.js';

/**
 * The log goes to standard error, as standard output is the hosts'; and, with a file for it, all of it to that file.
 * @throws ConfigError for a file that cannot be written
 */
export const openLog = (name: string, { logLevel, debugLog }: Pick<BridgeConfig, 'logLevel' | 'debugLog'>): Logger => {
  const stderr = pino.destination({ fd: 2, sync: true });
  if (debugLog === undefined) return pino({ name, level: logLevel }, stderr);
  const streams = [
    ...(logLevel === 'silent' ? [] : [{ level: logLevel, stream: stderr }]),
    { level: 'debug' as const, stream: fileFor(debugLog) },
  ];
  return pino({ name, level: logLevel === 'trace' ? 'trace' : 'debug' }, multistream(streams));
};

const fileFor = ({ path, from }: NonNullable<BridgeConfig['debugLog']>): DestinationStream => {
  try {
    return pino.destination({ dest: path, append: true, sync: true, mode: 0o600 });
  } catch (error) {
    throw new ConfigError(`${from}: ${(error as Error).message}`);
  }
};
