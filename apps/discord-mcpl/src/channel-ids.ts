/** A channel's MCPL id, `discord:<guild id, or dm>:<channel id>`. */
export const mcplChannelId = (guildId: string | undefined, channelId: string): string =>
  `discord:${guildId ?? 'dm'}:${channelId}`;

/** Discord's own id of an MCPL channel. */
export const discordChannelId = (mcplId: string): string => mcplId.slice(mcplId.lastIndexOf(':') + 1);
