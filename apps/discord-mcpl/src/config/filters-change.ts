import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { ConfigError } from '@mcpl-bridges/chat/program';
import { DISCORD_ID, parseGuildFilter } from './guild-filter.js';

/** A change of who gets through. */
export interface FiltersChange {
  /** `guild`, or `guild:channel+channel`. */
  readonly addGuilds: readonly string[];
  readonly removeGuilds: readonly string[];
  readonly setDmUsers?: readonly string[] | undefined;
}

/** What the file holds that this concerns; the rest of it is the operator's, and stays as it is. */
interface FiltersText {
  guildIds?: string[];
  guildChannels?: Record<string, string[]>;
  dmUsers?: string[];
}

/**
 * Writes a change into the filters file, which was read before and is to be read again.
 * @param present the servers there are: where all of them got through so far, they go on to
 * @throws ConfigError where the file cannot be read now: what the operator had in it must not be lost
 */
export const changeFiltersFile = (path: string, change: FiltersChange, present: readonly string[]): void => {
  let held: FiltersText;
  try {
    held = JSON.parse(readFileSync(path, 'utf8')) as FiltersText;
  } catch (error) {
    throw new ConfigError(`${path} cannot be read as JSON, and stays as it is: ${(error as Error).message}`);
  }
  const next = changed(held, change, present);
  const beside = `${path}.new`;
  writeFileSync(beside, `${JSON.stringify(next, null, 2)}\n`);
  renameSync(beside, path);
};

const changed = (held: FiltersText, change: FiltersChange, present: readonly string[]): FiltersText => {
  const { addGuilds, removeGuilds, setDmUsers } = change;
  const wrong = [...removeGuilds, ...(setDmUsers ?? [])].find((id) => !DISCORD_ID.test(id));
  if (wrong !== undefined) throw new ConfigError(`${wrong} is no Discord id`);
  const withUsers = setDmUsers === undefined ? held : { ...held, dmUsers: [...setDmUsers] };
  if (addGuilds.length === 0 && removeGuilds.length === 0) return withUsers;
  const isRestricted = held.guildIds !== undefined || Object.keys(held.guildChannels ?? {}).length > 0;
  const whole = new Set(isRestricted ? held.guildIds : present);
  const parts = new Map(Object.entries(held.guildChannels ?? {}));
  const added = addGuilds.length === 0 ? 'all' : parseGuildFilter(addGuilds.join(','), 'addGuilds');
  for (const [guild, channels] of added === 'all' ? [] : added) {
    if (channels === 'all') {
      whole.add(guild);
      parts.delete(guild);
    } else if (!whole.has(guild)) parts.set(guild, [...new Set([...(parts.get(guild) ?? []), ...channels])]);
  }
  for (const guild of removeGuilds) {
    whole.delete(guild);
    parts.delete(guild);
  }
  return { ...withUsers, guildIds: [...whole], guildChannels: Object.fromEntries(parts) };
};
