import { besideWire, withWire } from '../../occurrence/beside-wire.js';
import type { Occurrence } from '../../occurrence/occurrence.js';
import { decodeWire, encodeWire, type WireForm } from '../../occurrence/wire-form.js';

/** A reading of a clock; two of them compare only under one `epoch`. */
export interface Moment {
  /** Names a run of the clock: a boot, or a time in which it did not go back. No line ends, no tabs. */
  readonly epoch: string;
  /** ms. */
  readonly at: number;
}

/** Of no clock that anybody has: how long ago it was is unknown. */
export const UNKNOWN_MOMENT: Moment = { epoch: '', at: 0 };

/** When an occurrence was first attempted. */
type FirstAttempt =
  /** So long before its line was kept. */
  { readonly kind: 'with-line'; readonly sinceMs: number } | { readonly kind: 'at'; readonly moment: Moment };

export interface LoggedAttempt {
  readonly wire: WireForm;
  /** The shortest window that was advertised, ms. */
  readonly windowMs: number;
  readonly first: FirstAttempt;
}

/** What is known of an occurrence. */
export interface Logged {
  readonly occurrence: Occurrence;
  readonly attempt: LoggedAttempt | undefined;
}

/**
 * An occurrence as one line: its number, how it was attempted, what was sent, and what it says beyond that. JSON has no
 * tabs or line ends.
 */
export const encodeEntry = (seq: number, { occurrence, attempt }: Logged): string => {
  if (!attempt) return `${seq}\t\t\t${JSON.stringify(occurrence)}\n`;
  const { wire, windowMs, first } = attempt;
  const clock = first.kind === 'with-line' ? `${first.sinceMs}` : `${first.moment.at} ${first.moment.epoch}`;
  return `${seq}\t${windowMs} ${clock}\t${encodeWire(wire)}\t${JSON.stringify(besideWire(occurrence, wire))}\n`;
};

/** A record: the last number that was given out, and its lines. */
export const encodeText = (lastSeq: number, lines: readonly string[]): string => `${lastSeq}\n${lines.join('')}`;

/** @param text as `encodeText` made it */
export const readText = (text: string): { readonly lastSeq: number; readonly lines: readonly Line[] } => {
  const [head = '', ...lines] = text.slice(0, -1).split('\n');
  return { lastSeq: Number(head), lines: lines.map(readLine) };
};

/** Those that are gone. */
export const encodeGone = (seqs: readonly number[]): string => (seqs.length === 0 ? '' : `-${seqs.join(' ')}\n`);

/** A line, understood only as far as is needed to know whether anybody will want the rest of it. */
export type Line =
  | { readonly kind: 'gone'; readonly seqs: readonly number[] }
  | { readonly kind: 'entry'; readonly seq: number; readonly text: string };

const readLine = (text: string): Line =>
  text.startsWith('-')
    ? { kind: 'gone', seqs: text.slice(1).split(' ').map(Number) }
    : { kind: 'entry', seq: Number.parseInt(text, 10), text };

/** @param kept when the line was kept */
export const decodeEntry = (text: string, kept: Moment): Logged => {
  const [, clock = '', sent = '', said = ''] = text.split('\t');
  const members = JSON.parse(said);
  if (clock === '') return { occurrence: members, attempt: undefined };
  const [windowMs, at, ...epoch] = clock.split(' ');
  const moment =
    epoch.length === 0 ? { epoch: kept.epoch, at: kept.at - Number(at) } : { epoch: epoch.join(' '), at: Number(at) };
  const wire = decodeWire(sent);
  return {
    occurrence: withWire(members, wire),
    attempt: { wire, windowMs: Number(windowMs), first: { kind: 'at', moment } },
  };
};
