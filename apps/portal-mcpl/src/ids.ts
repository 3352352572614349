/** A channel's MCPL id, `portal:<channel id>`. */
export const mcplChannelId = (channelId: string): string => `portal:${channelId}`;

/** The relay's own id of an MCPL channel. */
export const portalChannelId = (mcplId: string): string => mcplId.slice(mcplId.lastIndexOf(':') + 1);

/** The thread or channel that a relay's message id (`rm_<container>_<snowflake>`) names. */
export const containerOf = (messageId: string): string | undefined => /^rm_(\d+)_\d+$/.exec(messageId)?.[1];

/** A message's id as relays write it; those that a relay never saw go by Discord's id alone. */
export const relayMessageId = (container: string, id: string): string =>
  /^\d+$/.test(id) ? `rm_${container}_${id}` : id;

/** When something was made whose id this is (a relay's or Discord's), ms since the Unix epoch. */
export const timeOfId = (id: string): number =>
  Number((BigInt(id.slice(id.lastIndexOf('_') + 1)) >> 22n) + 1_420_070_400_000n);
