import type { Locus } from './locus.js';
import type { ChatMessage } from './message.js';
import type { Missed } from './reconcile/channel-memory.js';

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
  /** Agents that it mentions, on platforms where that is no matter of the text. */
  readonly mentions?: readonly string[];
}

/** A post on its way. */
export interface NoncedPart extends OutgoingPart {
  /** At most 25 characters: what is sent twice under the same one is posted once. */
  readonly nonce: string;
  /** It may have been posted before: an earlier attempt was begun then, ms since the Unix epoch. */
  readonly attemptedAt?: number;
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
  /** How much of it the platform needs for itself, in front of a post that is a reply, or mentions agents. Default 0. */
  unitsBefore?(part: Pick<OutgoingPart, 'replyTo' | 'mentions'>): number;
  /** Whether a post can mention agents otherwise than in its text. Default: it cannot. */
  readonly mentionsAgents?: boolean;
  /** Where a message stands, on platforms whose message ids say so. */
  locusOf?(messageId: string): Locus | undefined;
  /** Posts once and returns the message's id. @throws SendRefused */
  send(locus: Locus, part: NoncedPart): Promise<string>;
  /** Changes the text of a message of the agent's own. @throws SendRefused */
  edit(channelId: string, messageId: string, text: string): Promise<void>;
  /** Takes a message away. @throws SendRefused */
  delete(channelId: string, messageId: string): Promise<void>;
  /** Adds or removes a reaction of the agent's own. @throws SendRefused */
  react(channelId: string, messageId: string, emoji: string, add: boolean): Promise<void>;
  /**
   * What stands somewhere: its newest messages, or those right before or around one, oldest first. Fewer than `limit`
   * only where there are no more. @throws SendRefused
   */
  history(locus: Locus, query: HistoryQuery): Promise<readonly ChatMessage[]>;
  /** The first `maxBytes` of a file, and whether there are more. Only from the platform's own hosts. @throws Error */
  download(url: string, maxBytes: number): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }>;
  /** Shows that the agent is writing; best effort. */
  typing(locus: Locus): Promise<void>;
  /**
   * What was missed in a channel that is not open, on platforms that count that themselves: up to `before`, which is not
   * counted. `told` are the latest messages that the agent was told of all the same.
   */
  missed?(channelId: string, told: readonly string[], before?: ChatMessage): Promise<Missed | undefined>;
  /** Marks a message as noticed and returns the mark. @throws SendRefused */
  acknowledge(channelId: string, messageId: string, value: string | undefined): Promise<string>;
  /** What was said in a channel until now counts for nothing any more, on platforms that keep what is unread; best effort. */
  passOver?(channelId: string): Promise<void>;
}
