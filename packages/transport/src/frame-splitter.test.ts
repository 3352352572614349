import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameSplitter, type Line } from './frame-splitter.js';

const texts = (lines: readonly Line[]): string[] =>
  lines.map((line) => {
    if (line.kind === 'line') return line.text;
    return line.kind === 'binary' ? 'binary' : `oversized ${line.bytes}`;
  });

const cut = (bytes: Buffer, at: readonly number[]): Buffer[] => {
  const edges = [0, ...[...at].map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge));
};

describe('a stream cut into lines', () => {
  it('gives the same lines however its bytes arrive', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replace(/[\r\n]/g, '·')),
          { maxLength: 8 },
        ),
        fc.array(fc.nat(), { maxLength: 12 }),
        (lines, at) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8');
          const splitter = new FrameSplitter(10_000);
          expect(cut(bytes, at).flatMap((chunk) => texts(splitter.push(chunk)))).toEqual(lines);
        },
      ),
    );
  });

  it('knows the line that is no UTF-8 from those around it', () => {
    const bytes = Buffer.concat([Buffer.from('a\n'), Buffer.from([0xc3, 0x28, 0x0a]), Buffer.from('ü\n\nb')]);
    const splitter = new FrameSplitter(100);
    expect(texts([...splitter.push(bytes), ...splitter.push(Buffer.from('\n'))])).toEqual(['a', 'binary', 'ü', 'b']);
  });

  it('skips an oversized line without holding it, and goes on behind it', () => {
    const splitter = new FrameSplitter(10);
    const lines = ['a'.repeat(8), 'a'.repeat(8), 'b\nshort\n'].flatMap((text) =>
      texts(splitter.push(Buffer.from(text))),
    );
    expect(lines).toEqual(['oversized 17', 'short']);
  });

  it('takes a line of exactly the limit, CRLF, and passes over empty lines', () => {
    const splitter = new FrameSplitter(5);
    expect(texts(splitter.push(Buffer.from('12345\n\n\r\nabc\r\n')))).toEqual(['12345', 'abc']);
  });
});
