import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitText } from './split.js';

const fences = (part: string): number => part.split('```').length - 1;

describe('splitting', () => {
  it('leaves short text alone, and drops text that is blank', () => {
    expect(splitText('hello', 2000)).toEqual(['hello']);
    expect(splitText('  \n ', 2000)).toEqual([]);
  });

  it('cuts between lines', () => {
    expect(splitText('one\ntwo\nthree', 8)).toEqual(['one\ntwo', 'three']);
  });

  it('closes a code fence before a cut and opens it again after, with its language', () => {
    const code = ['```ts', ...Array.from({ length: 6 }, (_, i) => `  const line${i} = ${i};`), '```'].join('\n');
    const parts = splitText(code, 80);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) {
      expect(part.startsWith('```ts\n')).toBe(true);
      expect(part.endsWith('\n```')).toBe(true);
    }
    expect(parts.join('\n').replaceAll('\n```\n```ts\n', '\n')).toBe(code);
  });

  it('is not fooled by a fence within one line', () => {
    const parts = splitText(`\`\`\`inline\`\`\` ${'word '.repeat(30)}`, 60);
    expect(parts.every((part) => fences(part) % 2 === 0)).toBe(true);
    expect(parts.slice(1).some((part) => part.includes('```'))).toBe(false);
  });

  it('cuts a long line after a space', () => {
    expect(splitText('aaaa bbbb cccc', 10)).toEqual(['aaaa bbbb ', 'cccc']);
  });

  it.each(['<@123456789012345678>', '<#123456789012345678>', '<:wave:123456789012345678>', '<@&123456789012345678>'])(
    'never cuts %s',
    (token) => {
      for (let before = 0; before < 40; before++) {
        const parts = splitText(`${'x'.repeat(before)}${token}${'y'.repeat(40)}`, 40);
        expect(parts.some((part) => part.includes(token))).toBe(true);
      }
    },
  );

  it('keeps every character, whole, in parts within the limit, with fences in balance', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 80 }).map((text) => text.replaceAll('`', "'")),
      fc.constantFrom('```', '```ts', '    indented', '😀'.repeat(30), ''),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 25, max: 50 }), (lines, first) => {
        const text = lines.join('\n');
        const parts = splitText(text, 50, first);
        for (const [i, part] of parts.entries()) {
          expect(part.length).toBeLessThanOrEqual(i === 0 ? first : 50);
          expect(part.isWellFormed()).toBe(true);
          if (text.length > first) expect(fences(part) % 2).toBe(0);
        }
        const bare = (value: string): string => value.replace(/```(ts)?/g, '').replace(/\s/g, '');
        expect(bare(parts.join(''))).toBe(bare(text));
      }),
      { numRuns: 500 },
    );
  });
});
