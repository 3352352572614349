import { decodeWire, encodeWire, type WireForm } from '../occurrence/wire-form.js';

/** When an occurrence was first attempted. */
export interface AttemptOnBoot {
  readonly bootId: string;
  /** By the boot's clock, ms. */
  readonly firstAt: number;
  readonly windowMs: number;
}

/** What is kept of an occurrence. */
export interface EncodedEntry {
  /** JSON. */
  readonly occurrence: string;
  readonly wire?: WireForm;
  readonly attempt?: AttemptOnBoot;
}

/** Three lines: the attempt, what it sent, and the occurrence; JSON has no line ends of its own. */
export const encodeEntry = ({ occurrence, wire, attempt }: EncodedEntry): string =>
  `${attempt ? `${attempt.firstAt} ${attempt.windowMs} ${attempt.bootId}` : ''}\n${wire ? encodeWire(wire) : ''}\n${occurrence}`;

export const decodeEntry = (text: string): EncodedEntry => {
  const [attempt = '', wire = '', occurrence = ''] = text.split('\n');
  const [firstAt, windowMs, ...bootId] = attempt.split(' ');
  return {
    occurrence,
    ...(wire === '' ? {} : { wire: decodeWire(wire) }),
    ...(attempt === ''
      ? {}
      : { attempt: { bootId: bootId.join(' '), firstAt: Number(firstAt), windowMs: Number(windowMs) } }),
  };
};
