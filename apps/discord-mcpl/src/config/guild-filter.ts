import { ConfigError } from '@mcpl-bridges/chat/program';

/** Which guilds, and which of their channels, the bridge looks at. No entry for a guild means: not at all. */
export type GuildFilter = ReadonlyMap<string, ReadonlySet<string> | 'all'> | 'all';

export const DISCORD_ID = /^\d{15,21}$/;

/**
 * Reads `DISCORD_GUILD_ID`: a comma list of `guild` or `guild:channel+channel`; empty is no filter.
 * @throws ConfigError for anything that is no Discord id: a filter fails closed
 */
export const parseGuildFilter = (text: string | undefined, name = 'DISCORD_GUILD_ID'): GuildFilter => {
  if (text === undefined || text.trim() === '') return 'all';
  return new Map(
    text.split(',').map((entry) => {
      const [guild = '', channels] = entry.trim().split(':');
      const ids = channels?.split('+') ?? [];
      const wrong = [guild, ...ids].find((id) => !DISCORD_ID.test(id));
      if (wrong !== undefined)
        throw new ConfigError(
          `${name} holds ${JSON.stringify(wrong)}, which is no Discord id; write guild or guild:channel+channel`,
        );
      return [guild, ids.length > 0 ? new Set(ids) : ('all' as const)];
    }),
  );
};

/** @param place the channel, or the parent of a thread */
export const passesFilter = (filter: GuildFilter, guildId: string | undefined, place: string): boolean => {
  if (filter === 'all' || guildId === undefined) return true;
  const channels = filter.get(guildId);
  return channels === 'all' || (channels?.has(place) ?? false);
};
