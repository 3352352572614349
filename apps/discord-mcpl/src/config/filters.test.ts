import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@mcpl-bridges/producer';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Filters, parseDmUsers, passesDmFilter, readFiltersFile, WatchedFilters } from './filters.js';
import { passesFilter } from './guild-filter.js';

const [HOME, WORK, GENERAL, ALICE, BOB] = [1, 2, 3, 4, 5].map((n) => `${n}00000000000000000`) as [
  string,
  string,
  string,
  string,
  string,
];
const EVERYTHING: Filters = { guilds: 'all', dmUsers: 'all', suppressedEmojis: new Set() };

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
const file = (value: unknown): string => {
  const folder = mkdtempSync(join(tmpdir(), 'filters-'));
  folders.push(folder);
  const path = join(folder, 'filters.json');
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
};

describe('direct messages', () => {
  it('are let through by user, and by nobody unknown', () => {
    const only = { dmUsers: parseDmUsers(`${ALICE}, ${BOB}`, 'X') };
    expect([ALICE, BOB, HOME, undefined].map((id) => passesDmFilter(only, id))).toEqual([true, true, false, false]);
    expect(passesDmFilter({ dmUsers: parseDmUsers(undefined, 'X') }, undefined)).toBe(true);
  });
});

describe('the filters file', () => {
  it('wins over the variables in what it names, and an empty list is nobody', () => {
    const { guilds, dmUsers } = readFiltersFile(file({ guildIds: [HOME], guildChannels: { [WORK]: [GENERAL] } }), {
      ...EVERYTHING,
      dmUsers: new Set([ALICE]),
    });
    expect(passesFilter(guilds, HOME, ALICE)).toBe(true);
    expect([GENERAL, ALICE].map((channel) => passesFilter(guilds, WORK, channel))).toEqual([true, false]);
    expect(passesFilter(guilds, BOB, GENERAL)).toBe(false);
    expect(dmUsers).toEqual(new Set([ALICE]));
    const nobody = readFiltersFile(file({ guildIds: [], dmUsers: [] }), EVERYTHING);
    expect([passesFilter(nobody.guilds, HOME, GENERAL), passesDmFilter(nobody, ALICE)]).toEqual([false, false]);
  });

  it.each([
    ['{', /cannot be read as JSON/],
    [{ guildIds: ['home'] }, /guildIds\.0 must be a Discord id/],
    [{ dmUser: [] }, /dmUser/],
  ])('that is broken is refused by name', (value, sentence) => {
    expect(() => readFiltersFile(file(value), EVERYTHING)).toThrow(sentence);
  });

  it('is read again when it changes; one that is broken, or gone, changes nothing', async () => {
    const path = file({ dmUsers: [ALICE] });
    const changed = vi.fn();
    const error = vi.fn();
    const watched = new WatchedFilters(path, EVERYTHING, { ...silentLog, error }, changed);
    const soon = { timeout: 10_000, interval: 50 };
    writeFileSync(path, JSON.stringify({ dmUsers: [BOB, ALICE] }));
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), soon);
    expect(passesDmFilter(watched.current, BOB)).toBe(true);
    writeFileSync(path, '{"dmUsers": [');
    await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(1), soon);
    rmSync(path);
    await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(2), soon);
    expect([passesDmFilter(watched.current, BOB), passesDmFilter(watched.current, HOME)]).toEqual([true, false]);
    watched.stop();
  });
});
