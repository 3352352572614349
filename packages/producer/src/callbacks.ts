import type {
  ChannelsAcknowledgeParams,
  ChannelsAcknowledgeResult,
  ChannelsPublishParams,
  ChannelsPublishResult,
  ChannelsTypingParams,
} from '@mcpl-bridges/protocol';

/** What the host asks of a server. Each may throw; the host then gets an error that carries the message. */
export interface Callbacks {
  /** Delivers content to the channel. A refusal is `{delivered: false, reason}` (RFC-011). */
  publish(params: ChannelsPublishParams): Promise<ChannelsPublishResult>;
  opened?(channelId: string): Promise<void> | void;
  closed?(channelId: string): Promise<void> | void;
  typing?(params: ChannelsTypingParams): void;
  /** The outbox is four fifths full: what arrives should slow down. Those who submit wait when it is full. */
  highWater?(waiting: number): void;
  acknowledge?(params: ChannelsAcknowledgeParams): Promise<ChannelsAcknowledgeResult>;
}
