/** A transport that takes a whole message as the JSON that it is, so that what is text already is not made text again. */
export interface TextTransport {
  sendText(text: string): Promise<void>;
}

/** The transport's own way for text, or `undefined` for one that has none. */
export const textTransport = (transport: object): TextTransport | undefined =>
  'sendText' in transport ? (transport as TextTransport) : undefined;
