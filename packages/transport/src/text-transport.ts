/** A transport that takes a whole message as the JSON that it is, so that what is text already is not made text again. */
export interface TextTransport {
  /** @returns `undefined` where there is nothing to wait for, and nothing can go wrong that does not end the connection */
  sendText(text: string): Promise<void> | undefined;
}

/** The transport's own way for text, or `undefined` for one that has none. */
export const textTransport = (transport: object): TextTransport | undefined =>
  'sendText' in transport ? (transport as TextTransport) : undefined;
