import { readFileSync } from 'node:fs';
import { ConfigError, listOf, WatchedFile } from '@mcpl-bridges/chat/program';
import type { Log } from '@mcpl-bridges/producer';
import { z } from 'zod';

import { changeFiltersFile, type FiltersChange } from './filters-change.js';

import { DISCORD_ID, type GuildFilter } from './guild-filter.js';

/** What the operator lets through, in both directions. */
export interface Filters {
  readonly guilds: GuildFilter;
  /** Whose direct messages are read and answered. */
  readonly dmUsers: ReadonlySet<string> | 'all';
  /** Emoji that the agent does not hear of: characters, names, or ids of a server's own. */
  readonly suppressedEmojis: ReadonlySet<string>;
}

export const id = z.string().regex(DISCORD_ID, 'must be a Discord id');

/** What the variables, or the configuration file, let through. */
export const configuredFilters = (config: {
  readonly guildId: GuildFilter;
  readonly dmUsers: Filters['dmUsers'];
}): Filters => ({
  guilds: config.guildId,
  dmUsers: config.dmUsers,
  suppressedEmojis: new Set(),
});

const filtersFile = z.strictObject({
  guildIds: z.array(id).optional(),
  guildChannels: z.record(id, z.array(id)).optional(),
  dmUsers: z.array(id).optional(),
  suppressedReactionEmojis: z.array(z.string()).optional(),
});

/**
 * Reads a comma list of users; empty is no filter.
 * @throws ConfigError for anything that is no Discord id: a filter fails closed
 */
export const parseDmUsers = (text: string | undefined, name: string): Filters['dmUsers'] =>
  text === undefined ? 'all' : new Set(listOf(text, name, DISCORD_ID, 'Discord id; write user,user'));

/** @param userId `undefined` where it is not known whom a message is from: then only no filter lets it through */
export const passesDmFilter = ({ dmUsers }: Pick<Filters, 'dmUsers'>, userId: string | undefined): boolean =>
  dmUsers === 'all' || (userId !== undefined && dmUsers.has(userId));

/** How an emoji is written does not matter: `:wave:` or `wave`, with or without the sign for its coloured form. */
const plain = (emoji: string): string => emoji.replaceAll(/[\ufe0f:]/g, '');

/** Whether the operator does not want the agent to hear of an emoji, by what it is or by the id of a server's own. */
export const isSuppressed = (
  { suppressedEmojis }: Filters,
  emoji: { id: string | null; name: string | null },
): boolean => suppressedEmojis.has(plain(emoji.name ?? '')) || (emoji.id !== null && suppressedEmojis.has(emoji.id));

/**
 * Reads `DISCORD_FILTERS_FILE`. What it names wins over the variables; an empty list lets nobody through.
 * @throws ConfigError naming the file and what is wrong
 */
export const readFiltersFile = (path: string, otherwise: Filters): Filters => {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`DISCORD_FILTERS_FILE: ${path} cannot be read as JSON: ${(error as Error).message}`);
  }
  const parsed = filtersFile.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigError(`DISCORD_FILTERS_FILE: ${path}: ${issue?.path.join('.') || 'the file'} ${issue?.message}`);
  }
  const { guildIds, guildChannels = {}, dmUsers, suppressedReactionEmojis } = parsed.data;
  return {
    guilds:
      guildIds || Object.keys(guildChannels).length > 0 ? guildsOf(guildIds ?? [], guildChannels) : otherwise.guilds,
    dmUsers: dmUsers ? new Set(dmUsers) : otherwise.dmUsers,
    suppressedEmojis: suppressedReactionEmojis
      ? new Set(suppressedReactionEmojis.map(plain))
      : otherwise.suppressedEmojis,
  };
};

const guildsOf = (ids: readonly string[], channels: Readonly<Record<string, readonly string[]>>): GuildFilter =>
  new Map<string, ReadonlySet<string> | 'all'>([
    ...ids.map((guild): [string, 'all'] => [guild, 'all']),
    ...Object.entries(channels).map(([guild, list]): [string, ReadonlySet<string>] => [guild, new Set(list)]),
  ]);

/** The filters as the file has them now. */
export class WatchedFilters {
  private readonly file: WatchedFile<Filters>;

  /** @param onChange called after each change @throws ConfigError where there is no first good one */
  constructor(
    private readonly path: string,
    otherwise: Filters,
    log: Log,
    onChange: () => void,
  ) {
    this.file = new WatchedFile({
      path,
      what: 'the filters',
      read: () => readFiltersFile(path, otherwise),
      log,
      onChange,
    });
  }

  get current(): Filters {
    return this.file.current;
  }

  stop(): void {
    this.file.stop();
  }

  /** Writes a change into the file, which holds at once. @param guilds those there are @throws ConfigError */
  change(change: FiltersChange, guilds: readonly { readonly id: string }[]): void {
    changeFiltersFile(
      this.path,
      change,
      guilds.map(({ id }) => id),
    );
    this.file.look();
  }
}
