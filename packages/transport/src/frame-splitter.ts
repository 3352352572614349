/** One line of input: its bytes without the newline, or how long it was when it passed the limit. */
export type Line =
  | { readonly kind: 'line'; readonly bytes: Buffer }
  | { readonly kind: 'oversized'; readonly bytes: number };

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Cuts a byte stream into lines. Works on bytes, so a character split over two chunks stays whole. A line over
 * `maxBytes` is skipped up to its newline and reported once, without being held in memory.
 */
export class FrameSplitter {
  private held: Buffer[] = [];
  private heldBytes = 0;
  private skipping = false;

  constructor(private readonly maxBytes: number) {}

  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.hold(chunk.subarray(from, at));
      const line = this.take();
      if (line) lines.push(line);
      from = at + 1;
    }
    this.hold(chunk.subarray(from));
    return lines;
  }

  private hold(part: Buffer): void {
    this.heldBytes += part.length;
    if (this.heldBytes > this.maxBytes) {
      this.skipping = true;
      this.held = [];
    } else if (part.length > 0) {
      this.held.push(part);
    }
  }

  private take(): Line | undefined {
    const size = this.heldBytes;
    const whole = this.held.length === 1 ? this.held[0] : Buffer.concat(this.held);
    const skipped = this.skipping;
    this.held = [];
    this.heldBytes = 0;
    this.skipping = false;
    if (skipped) return { kind: 'oversized', bytes: size };
    if (!whole || whole.length === 0) return undefined;
    const bytes = whole[whole.length - 1] === RETURN ? whole.subarray(0, -1) : whole;
    return bytes.length === 0 ? undefined : { kind: 'line', bytes };
  }
}
