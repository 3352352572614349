import type { MessageRef } from '../core/occurrence.js';

/** One thing the model reads. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** With the core closure expanded; untrusted claims, like all tags. */
  readonly tags: readonly string[];
  /** The platform message it speaks of, where there is one. */
  readonly message?: MessageRef;
}

export interface ModelRequest {
  readonly context: string;
  /** Everything the context holds, oldest first. */
  readonly messages: readonly ModelMessage[];
  /** How many of the last `messages` no model had read before. */
  readonly fresh: number;
}

/** What a model says, and where. Without a channel it answers where the last message came from. */
export interface ModelReply {
  readonly text: string;
  readonly channelId?: string;
}

export interface Model {
  readonly name: string;
  /**
   * @param say shows text while it is written, in the channel that is answered or in `channelId`; what counts is the
   * reply
   */
  respond(request: ModelRequest, say?: (delta: string, channelId?: string) => void): Promise<ModelReply | undefined>;
}
