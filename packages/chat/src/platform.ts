import type { ChatMessage } from './message.js';

/** A file to post. */
export interface OutgoingFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/** One post, within the platform's limits. */
export interface OutgoingPart {
  readonly text: string;
  readonly files: readonly OutgoingFile[];
  readonly replyTo?: string;
}

/** A post on its way. */
export interface NoncedPart extends OutgoingPart {
  /** At most 25 characters: what is sent twice under the same one is posted once. */
  readonly nonce: string;
}

/** Why a post did not happen, in a sentence the agent can act on. */
export class SendRefused extends Error {
  override readonly name = 'SendRefused';
}

/** Most messages that a platform gives at once. */
export const HISTORY_PAGE = 100;

export interface HistoryQuery {
  /** 1 to `HISTORY_PAGE`. */
  readonly limit: number;
  /** Only messages older than this one. */
  readonly before?: string;
  /** Messages before and after this one, and itself. */
  readonly around?: string;
}

/** What a chat platform does for the bridge. Channel ids are MCPL's. */
export interface ChatPlatform {
  /** Longest text of one post, UTF-16 units. */
  readonly maxTextUnits: number;
  /** Posts once and returns the message's id. @throws SendRefused */
  send(channelId: string, part: NoncedPart): Promise<string>;
  /** Changes the text of a message of the agent's own. @throws SendRefused */
  edit(channelId: string, messageId: string, text: string): Promise<void>;
  /** Takes a message away. @throws SendRefused */
  delete(channelId: string, messageId: string): Promise<void>;
  /** Adds or removes a reaction of the agent's own. @throws SendRefused */
  react(channelId: string, messageId: string, emoji: string, add: boolean): Promise<void>;
  /**
   * What stands in a channel: its newest messages, or those right before or around one, oldest first. Fewer than `limit`
   * only where there are no more. @throws SendRefused
   */
  history(channelId: string, query: HistoryQuery): Promise<readonly ChatMessage[]>;
  /** The first `maxBytes` of a file, and whether there are more. Only from the platform's own hosts. @throws Error */
  download(url: string, maxBytes: number): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }>;
  /** Shows that the agent is writing; best effort. */
  typing(channelId: string): Promise<void>;
  /** Marks a message as noticed and returns the mark. @throws SendRefused */
  acknowledge(channelId: string, messageId: string, value: string | undefined): Promise<string>;
}
