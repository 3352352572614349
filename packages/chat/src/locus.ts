/**
 * Where something is said: the root of a channel, or one of its threads on platforms that keep threads under their channel
 * (RFC-011).
 */
export interface Locus {
  /** MCPL channel id. */
  readonly channelId: string;
  /** The platform's own id. */
  readonly threadId?: string;
}

/** A locus as one word. */
export const locusKey = ({ channelId, threadId }: Locus): string =>
  threadId === undefined ? channelId : `${channelId}/${threadId}`;

/** The locus alone of whatever has one. */
export const locusOf = ({ channelId, threadId }: Locus): Locus =>
  threadId === undefined ? { channelId } : { channelId, threadId };
