import type {
  ChannelHistory,
  ChannelsAcknowledgeParams,
  ChannelsAcknowledgeResult,
  ChannelsPublishParams,
  ChannelsPublishResult,
  ChannelsTypingParams,
  OpenHistory,
  OutgoingChunkParams,
  OutgoingCompleteParams,
} from '@mcpl-bridges/protocol';
import type { Health } from './outbox/group-commit.js';

/** What the host asks of a server. Each may throw; the host then gets an error that carries the message. */
export interface Callbacks {
  /** Delivers content to the channel. A refusal is `{delivered: false, reason}` (RFC-011). */
  publish(params: ChannelsPublishParams): Promise<ChannelsPublishResult>;
  /**
   * A host opens a channel, and may want to see some of its past. `open` is for whoever knows the moment from which on
   * what happens there is for the host; without it that is when the promise resolves. Throws where it cannot be opened.
   */
  opening?(
    channelId: string,
    history: OpenHistory | undefined,
    open: () => void,
  ): Promise<ChannelHistory | undefined> | ChannelHistory | undefined;
  closed?(channelId: string): Promise<void> | void;
  typing?(params: ChannelsTypingParams): void;
  /** The outbox is four fifths full: what arrives should slow down. Those who submit wait when it is full. */
  highWater?(waiting: number): void;
  /** The store goes away, comes back, or belongs to another instance now. */
  health?(health: Health): void;
  acknowledge?(params: ChannelsAcknowledgeParams): Promise<ChannelsAcknowledgeResult>;
  /** A part of what the model is saying, as it says it; nothing of it is delivered (SPEC §14.3). */
  outgoingChunk?(params: OutgoingChunkParams): void;
  /** The model has said it all; it is delivered only by `publish`. */
  outgoingComplete?(params: OutgoingCompleteParams): void;
}
