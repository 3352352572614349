/** Length of `text` in bytes of UTF-8. Limits on the wire are in bytes, never in UTF-16 units (RFC-006 §13). */
export const utf8Length = (text: string): number => Buffer.byteLength(text, 'utf8');

/** Length of the JSON serialisation of `value` in bytes of UTF-8; 0 for `undefined`. */
export const jsonLength = (value: unknown): number => {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? 0 : utf8Length(text);
};
