import { mkdtempSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessOf, ownerOf } from '../credentials.js';
import { readConfig } from './config.js';
import { credentialsPath } from './settings.js';

const URL = { PORTAL_URL: 'wss://portal.example.org' };
const read = (env: Record<string, string>) => readConfig({ ...URL, ...env }, undefined);
const folder = () => mkdtempSync(join(tmpdir(), 'portal-mcpl-'));

describe('configuration', () => {
  it.each([
    ['no relay', { PORTAL_URL: '' }, /PORTAL_URL is not set: set it to the relay's address/],
    [
      'a relay that is none',
      { PORTAL_URL: 'https://x' },
      /PORTAL_URL is "https:\/\/x"; use the relay's address, e.g. wss:/,
    ],
    ['an open line', { PORTAL_URL: 'ws://10.0.0.1:8790' }, /everybody on the way could read the token: use wss:/],
    ['half of a login', { PORTAL_TOKEN: 'hush' }, /PORTAL_TOKEN and PORTAL_PERSONA go together/],
    ['a channel that is no id', { PORTAL_SUBSCRIPTIONS: 'general' }, /PORTAL_SUBSCRIPTIONS holds "general"/],
  ])('with %s names the fix, and no secret', (_what, env, message) => {
    expect(() => read(env)).toThrow(message);
    expect(() => read(env)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hush') }));
  });

  it('lets an open line pass on this machine, or where it is asked for', () => {
    for (const url of ['ws://127.0.0.1:8790', 'ws://localhost:1', 'ws://[::1]:1'])
      expect(read({ PORTAL_URL: url }).url).toContain('ws:');
    expect(read({ PORTAL_URL: 'ws://10.0.0.1', PORTAL_ALLOW_PLAIN: 'on' }).url).toBe('ws://10.0.0.1/');
  });
});

describe('who comes in', () => {
  const file = (value: unknown): string => {
    const path = join(folder(), 'ada.creds.json');
    writeFileSync(path, JSON.stringify(value));
    return path;
  };

  it('is whom the variables name, or the credentials file, or an invitation', () => {
    expect(accessOf(read({ PORTAL_TOKEN: 't', PORTAL_PERSONA: 'p' }))).toMatchObject({
      login: { kind: 'credentials', credentials: { personaId: 'p', token: 't' } },
      path: undefined,
    });
    const kept = file({ personaId: 'q', token: 'u' });
    expect(accessOf(read({ PORTAL_CREDENTIALS: kept, PORTAL_INVITE: 'code' })).login).toMatchObject({
      credentials: { personaId: 'q' },
    });
    const none = join(folder(), 'none.json');
    expect(
      accessOf(read({ PORTAL_CREDENTIALS: none, PORTAL_INVITE: 'code', PORTAL_PERSONA_NAME: 'Ada' })).login,
    ).toEqual({ kind: 'invite', invite: 'code', desiredName: 'Ada' });
  });

  it.each([
    ['nobody is named', {}, /nobody to come in as: set PORTAL_PERSONA_NAME, or PORTAL_CREDENTIALS/],
    [
      'there are no credentials',
      { PORTAL_CREDENTIALS: '/nowhere.json' },
      /no credentials in \/nowhere.json: set PORTAL_INVITE/,
    ],
    [
      'an invitation has no name',
      { PORTAL_CREDENTIALS: '/nowhere.json', PORTAL_INVITE: 'code' },
      /PORTAL_PERSONA_NAME is not set/,
    ],
    [
      'the file holds something else',
      { PORTAL_CREDENTIALS: file({ token: 1 }) },
      /it must be JSON with personaId and token/,
    ],
  ])('is asked for where %s', (_what, env, message) => {
    expect(() => accessOf(read(env))).toThrow(message);
  });

  it('has a file and a folder of its own, by name', () => {
    const config = read({ PORTAL_PERSONA_NAME: 'Ada L. (ops)' });
    expect(credentialsPath(config)).toBe(join(homedir(), '.portal', 'ada-l-ops.creds.json'));
    expect(ownerOf(config)).toEqual({ program: 'portal-mcpl', account: 'ada-l-ops' });
    expect(ownerOf(read({ PORTAL_CREDENTIALS: '/x/bob.creds.json' })).account).toBe('bob');
  });
});
