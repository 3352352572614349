import { describe, expect, it } from 'vitest';
import { toParts } from './outgoing.js';

const image = { type: 'image', data: Buffer.from('png').toString('base64'), mimeType: 'image/png' } as const;

describe('content as posts', () => {
  it('replies with the first part and attaches files to the last', () => {
    const file = { name: 'notes.txt', bytes: Buffer.from('x'), mimeType: 'text/plain' };
    const parts = toParts([{ type: 'text', text: 'aaaa bbbb cccc' }, image], 10, { replyTo: 'm1', files: [file] });
    expect(parts.map(({ replyTo, files }) => [replyTo, files.length])).toEqual([
      ['m1', 0],
      [undefined, 2],
    ]);
    expect(parts[1]?.files).toMatchObject([
      { name: 'image-1.png', mimeType: 'image/png', bytes: Buffer.from('png') },
      { name: 'notes.txt' },
    ]);
  });

  it('leaves room in the first part for what the platform puts there, and mentions in it alone', () => {
    const parts = toParts('aaaa bbbb cccc dddd', 10, { mentions: ['ada'] }, 5);
    expect(parts.map(({ text, mentions }) => [text.trim(), mentions])).toEqual([
      ['aaaa', ['ada']],
      ['bbbb cccc', undefined],
      ['dddd', undefined],
    ]);
  });

  it('posts a file without words, and a link for media known by link', () => {
    expect(toParts([image], 10)).toMatchObject([{ text: '', files: [{}] }]);
    expect(toParts([{ type: 'resource', uri: 'https://x' }], 10)).toMatchObject([{ text: 'https://x', files: [] }]);
  });
});
