import type { Locus } from '@mcpl-bridges/chat';

/** A channel's MCPL id, `portal:<channel id>`. */
export const mcplChannelId = (channelId: string): string => `portal:${channelId}`;

/** The relay's own id of an MCPL channel. */
export const portalChannelId = (mcplId: string): string => mcplId.slice(mcplId.lastIndexOf(':') + 1);

/** The thread or channel that a locus is on the relay: what it is asked for by, and the lane of what happens there. */
export const containerAt = ({ channelId, threadId }: Locus): string => threadId ?? portalChannelId(channelId);

/** The thread or channel that a relay's message id (`rm_<container>_<snowflake>`) names. */
export const containerOf = (messageId: string): string | undefined => /^rm_(\d+)_\d+$/.exec(messageId)?.[1];

/** A message's id as relays write it; those that a relay never saw go by Discord's id alone. */
export const relayMessageId = (container: string, id: string): string =>
  /^\d+$/.test(id) ? `rm_${container}_${id}` : id;

/** Discord's id in an id of a relay's, or in itself. */
export const nativeId = (id: string): bigint => BigInt(id.slice(id.lastIndexOf('_') + 1));

/** When something was made whose id this is (a relay's or Discord's), ms since the Unix epoch. */
export const timeOfId = (id: string): number => Number((nativeId(id) >> 22n) + 1_420_070_400_000n);
