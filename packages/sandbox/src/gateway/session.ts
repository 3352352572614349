import type { Json } from '../world/entities.js';
import type { Viewer } from './visibility.js';

export interface Numbered {
  readonly s: number;
  readonly t: string;
  readonly d: Json;
}

/** How many dispatches a session can be replayed. */
const BUFFER = 5000;

/** A gateway session: what survives the socket, so that a RESUME can bring back what was missed. */
export class GatewaySession {
  readonly buffer: Numbered[] = [];
  seq = 0;
  /** Dispatches still to be lost: numbered, and never seen by anyone. */
  holes = 0;
  /** How the socket takes frames while one is attached. */
  send: ((frame: Numbered) => void) | undefined;

  constructor(
    readonly id: string,
    readonly viewer: Viewer,
  ) {}

  dispatch(t: string, d: Json): void {
    const frame = { s: ++this.seq, t, d };
    if (this.holes > 0) {
      this.holes -= 1;
      return;
    }
    this.buffer.push(frame);
    if (this.buffer.length > BUFFER) this.buffer.shift();
    this.send?.(frame);
  }

  /** What came after `seq`, or `undefined` when that is no longer known. */
  since(seq: number): readonly Numbered[] | undefined {
    if (seq > this.seq) return undefined;
    const oldest = this.buffer[0]?.s ?? this.seq + 1;
    if (seq + 1 < oldest && this.buffer.length >= BUFFER) return undefined;
    return this.buffer.filter((frame) => frame.s > seq);
  }
}
