import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changeFiltersFile, type FiltersChange } from './filters-change.js';

const [HOME, WORK, CLUB, GENERAL, ALICE] = [1, 2, 3, 4, 5].map((n) => `10000000000000000${n}`) as [
  string,
  string,
  string,
  string,
  string,
];
const NOTHING: FiltersChange = { addGuilds: [], removeGuilds: [] };

const fileOf = (text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'filters-')), 'filters.json');
  writeFileSync(path, text);
  return path;
};

const changed = (held: object, change: Partial<FiltersChange>): unknown => {
  const path = fileOf(JSON.stringify(held));
  changeFiltersFile(path, { ...NOTHING, ...change }, [HOME, WORK]);
  return JSON.parse(readFileSync(path, 'utf8'));
};

it('a first restriction keeps what got through so far', () => {
  expect(changed({}, { removeGuilds: [WORK] })).toEqual({ guildIds: [HOME], guildChannels: {} });
  expect(changed({}, { addGuilds: [CLUB] })).toEqual({ guildIds: [HOME, WORK, CLUB], guildChannels: {} });
});

it('channels are added to channels, a whole server lifts them, and what the operator wrote stays', () => {
  const held = { guildChannels: { [CLUB]: [GENERAL] }, suppressedReactionEmojis: ['👀'] };
  expect(changed(held, { addGuilds: [`${CLUB}:${ALICE}`] })).toEqual({
    guildIds: [],
    guildChannels: { [CLUB]: [GENERAL, ALICE] },
    suppressedReactionEmojis: ['👀'],
  });
  expect(changed(held, { addGuilds: [CLUB], setDmUsers: [ALICE] })).toEqual({
    guildIds: [CLUB],
    guildChannels: {},
    dmUsers: [ALICE],
    suppressedReactionEmojis: ['👀'],
  });
});

it('nothing is written over a file that cannot be read, and nothing that is no id', () => {
  const path = fileOf('{ broken');
  expect(() => changeFiltersFile(path, { ...NOTHING, addGuilds: [HOME] }, [])).toThrow(/stays as it is/);
  expect(readFileSync(path, 'utf8')).toBe('{ broken');
  expect(() => changed({}, { removeGuilds: ['home'] })).toThrow('home is no Discord id');
  expect(() => changed({}, { addGuilds: ['home'] })).toThrow(/addGuilds holds "home"/);
});
