import type { FoundRecord } from './log/entry-log.js';
import type { Moment } from './log/log-lines.js';

/** The field of the log's hash that says when the record `number` was kept. */
export const momentField = (number: number): string => `${number}@`;

/** `<ms> <run>`, as `storeCommit` writes it. */
export const encodeMoment = ({ epoch, at }: Moment): string => `${at} ${epoch}`;

/** @param text as `encodeMoment` or `storeCommit` made it */
export const decodeMoment = (text: string): Moment => {
  const [at = '0', epoch = '0'] = text.split(' ');
  return { at: Number(at), epoch };
};

/** The records of a log, in order. @param hash what `HGETALL` says */
export const recordsOf = (hash: Readonly<Record<string, string>>): FoundRecord[] =>
  Object.entries(hash)
    .filter(([field]) => !field.endsWith('@'))
    .map(([field, text]) => {
      const number = Number(field);
      return { number, text, kept: decodeMoment(hash[momentField(number)] ?? '') };
    })
    .sort((a, b) => a.number - b.number);
