import { describe, expect, it } from 'vitest';
import { DEFAULT_INLINE_LIMITS, readInline } from './attachments.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const LIMITS = { ...DEFAULT_INLINE_LIMITS, textBytes: 10 };
const read = (bytes: Uint8Array, isCut = false, limits = LIMITS) => readInline(bytes, isCut, limits);

describe('a file is what is in it', () => {
  it('text is shown as far as it goes, and never half a character', () => {
    expect(read(Buffer.from('short'))).toEqual({ kind: 'text', text: 'short', isCut: false });
    expect(read(Buffer.from('0123456789ab'))).toEqual({ kind: 'text', text: '0123456789', isCut: true });
    expect(read(Buffer.from('12345678🦊'))).toEqual({ kind: 'text', text: '12345678', isCut: true });
    expect(read(Buffer.from('0123456789'), true)).toEqual({ kind: 'text', text: '0123456789', isCut: true });
  });

  it('what is no text and no image is not shown, whatever it is called', () => {
    expect(read(Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff, 0xfe]))).toBeUndefined();
    expect(read(Buffer.from('a\0b'))).toBeUndefined();
  });

  it('an image is shown whole or not at all, and not when it is too large', () => {
    expect(read(PNG)).toEqual({ kind: 'image', data: PNG.toString('base64'), mimeType: 'image/png' });
    expect(read(PNG, true)).toBeUndefined();
    expect(read(PNG, false, { ...LIMITS, imageSide: 0 })).toBeUndefined();
  });
});
