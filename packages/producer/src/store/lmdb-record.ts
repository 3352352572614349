import type { FoundRecord } from './log/entry-log.js';
import type { Moment } from './log/log-lines.js';

/** A record of the log as a value in LMDB: when it was kept is its first line. */
export const encodeRecord = (text: string, { epoch, at }: Moment): string => `${at} ${epoch}\n${text}`;

export const decodeRecord = (number: number, value: string): FoundRecord => {
  const end = value.indexOf('\n');
  const [at, ...epoch] = value.slice(0, end).split(' ');
  return { number, text: value.slice(end + 1), kept: { epoch: epoch.join(' '), at: Number(at) } };
};
