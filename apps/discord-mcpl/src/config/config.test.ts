import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from './config.js';
import { parseGuildFilter, passesFilter } from './guild-filter.js';

const file = (name: string, text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'discord-mcpl-')), name);
  writeFileSync(path, text);
  return path;
};
const config = (value: unknown): string => file('config.json', JSON.stringify(value));
const TOKEN = { DISCORD_TOKEN: 't' };

describe('configuration', () => {
  it('comes from variables, then from the file, then from defaults', () => {
    const path = config({ token: 'from file', closedDelivery: 'all', logLevel: 'warn' });
    expect(readConfig({ MCPL_LOG_LEVEL: 'debug' }, path)).toMatchObject({
      token: 'from file',
      closedDelivery: 'all',
      logLevel: 'debug',
      store: 'lmdb:',
      apiBase: undefined,
    });
  });

  it('reads secrets from files, too', () => {
    expect(readConfig({ DISCORD_TOKEN_FILE: file('token', 'secret\n') }, undefined).token).toBe('secret');
    expect(() => readConfig({ DISCORD_TOKEN_FILE: file('token', ' \n') }, undefined)).toThrow(
      /DISCORD_TOKEN_FILE names .*empty/,
    );
    expect(() => readConfig({ DISCORD_TOKEN_FILE: '/nowhere' }, undefined)).toThrow(
      /DISCORD_TOKEN_FILE names \/nowhere/,
    );
  });

  it.each([
    ['no token', {}, undefined, /DISCORD_TOKEN is not set: copy the token from/],
    ['an unknown key', TOKEN, config({ tokn: 'x' }), /unknown key "tokn"; known are token, presenceKey, apiBase/],
    ['a wrong type', TOKEN, config({ token: 5 }), /token /],
    ['a file that is no JSON', TOKEN, file('config.json', '{'), /cannot be read as JSON/],
    [
      'a log level nobody knows',
      { ...TOKEN, MCPL_LOG_LEVEL: 'loud' },
      undefined,
      /MCPL_LOG_LEVEL is "loud"; use one of trace/,
    ],
    ['an API base that is none', { ...TOKEN, DISCORD_API_BASE: 'discord' }, undefined, /DISCORD_API_BASE is "discord"/],
    [
      'a user that is no id',
      { ...TOKEN, DISCORD_DM_USERS: 'alice' },
      undefined,
      /DISCORD_DM_USERS holds "alice", which is no Discord id/,
    ],
    [
      'a time zone that is none',
      { ...TOKEN, AGENT_TIMEZONE: 'Berlin' },
      undefined,
      /AGENT_TIMEZONE is "Berlin"; use an IANA/,
    ],
    [
      'a count that is none',
      { ...TOKEN, DISCORD_ATTACHMENT_INLINE_MAX_BYTES: '5kb' },
      undefined,
      /DISCORD_ATTACHMENT_INLINE_MAX_BYTES is "5kb"; use a whole number from 0 to 262144/,
    ],
    ['a count beyond its bounds', TOKEN, config({ botTurns: 5000 }), /botTurns /],
    [
      'a limit of no channel',
      { ...TOKEN, DISCORD_BACKSCROLL_CHANNELS: 'general:5' },
      undefined,
      /DISCORD_BACKSCROLL_CHANNELS holds "general:5", which is no limit of a channel/,
    ],
    ['a guild that is no id', { ...TOKEN, DISCORD_GUILD_ID: 'home' }, undefined, /DISCORD_GUILD_ID holds "home"/],
  ])('with %s names the fix', (_what, env, path, message) => {
    expect(() => readConfig(env, path)).toThrow(message);
  });

  it('never repeats a secret', () => {
    expect(() => readConfig({ DISCORD_TOKEN: 'hush', MCPL_LOG_LEVEL: 'loud' }, undefined)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hush') }),
    );
  });
});

describe('the guild filter', () => {
  const [home, away, general, other] = [
    '100000000000000001',
    '100000000000000002',
    '100000000000000003',
    '100000000000000004',
  ];
  it('lets everything through when there is none', () => {
    expect(passesFilter(parseGuildFilter(''), home, `${general}`)).toBe(true);
  });
  it('lets through the guilds and channels it names, and direct messages', () => {
    const filter = parseGuildFilter(`${home}:${general},${away}`);
    expect(passesFilter(filter, home, `${general}`)).toBe(true);
    expect(passesFilter(filter, home, `${other}`)).toBe(false);
    expect(passesFilter(filter, away, `${other}`)).toBe(true);
    expect(passesFilter(filter, '100000000000000009', `${general}`)).toBe(false);
    expect(passesFilter(filter, undefined, `${other}`)).toBe(true);
  });
});
