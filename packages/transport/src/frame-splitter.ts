/** One line of input: its text, what it was when that was no UTF-8, or how long it was when it passed the limit. */
export type Line =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'binary' }
  | { readonly kind: 'oversized'; readonly bytes: number };

const NEWLINE = 0x0a;

/** A byte-order mark is text here: JSON has none. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Cuts a byte stream into lines. Works on bytes up to the last newline, so a character split over two chunks stays whole.
 * A line over `maxBytes` is skipped up to its newline and reported once, without being held in memory. Empty lines are
 * passed over.
 */
export class FrameSplitter {
  private held: Buffer[] = [];
  private heldBytes = 0;
  private skipping = false;

  constructor(private readonly maxBytes: number) {}

  push(chunk: Buffer): Line[] {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1 || this.heldBytes + end > this.maxBytes) return this.pushEach(chunk);
    this.hold(chunk.subarray(0, end));
    const lines = linesOf(this.take());
    this.hold(chunk.subarray(end + 1));
    return lines;
  }

  /** Line by line, for what may be too long. */
  private pushEach(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.hold(chunk.subarray(from, at));
      if (this.skipping) lines.push({ kind: 'oversized', bytes: this.heldBytes });
      lines.push(...linesOf(this.take()));
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

  private take(): Buffer {
    const whole = this.held.length === 1 ? (this.held[0] as Buffer) : Buffer.concat(this.held);
    this.held = [];
    this.heldBytes = 0;
    this.skipping = false;
    return whole;
  }
}

/** The lines of whole text. Where it is not all UTF-8, each line is looked at by itself. */
const linesOf = (bytes: Buffer): Line[] => {
  if (bytes.length === 0) return [];
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    const at = bytes.indexOf(NEWLINE);
    return at === -1 ? [{ kind: 'binary' }] : [...linesOf(bytes.subarray(0, at)), ...linesOf(bytes.subarray(at + 1))];
  }
  const lines: Line[] = [];
  for (const line of text.split('\n')) {
    const trimmed = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (trimmed !== '') lines.push({ kind: 'line', text: trimmed });
  }
  return lines;
};
