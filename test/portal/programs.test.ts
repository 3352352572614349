import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { PORTAL } from '../helpers/platforms.js';
import { node, PORTAL_BRIDGE } from '../helpers/programs.js';
import { openRoom } from '../helpers/scene.js';
import { SOON } from './support.js';

const setUp = async () => {
  const way = await PORTAL.join(await openRoom());
  const path = join(mkdtempSync(join(tmpdir(), 'creds-')), 'deep', 'ada.creds.json');
  const env = { PORTAL_URL: way.relay.url, PORTAL_CREDENTIALS: path, MCPL_STORE: 'memory:' };
  return { ...way, path, env };
};

const run = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
  const program = node(PORTAL_BRIDGE, args, env);
  return { code: await program.exited, stdout: program.stdout(), stderr: program.stderr() };
};

describe('portal-mcpl enroll', () => {
  it('takes an invitation up once, and keeps the credentials for their owner alone', async () => {
    const { relay, env, path } = await setUp();
    const { code: invite } = relay.state.personas.invite();
    const enrolling = { ...env, PORTAL_INVITE: invite, PORTAL_PERSONA_NAME: 'Ada' };
    const first = await run(['enroll'], enrolling);
    const { personaId, token } = JSON.parse(readFileSync(path, 'utf8'));
    expect(first).toEqual({
      code: 0,
      stdout: `enrolled Ada as ${personaId}; its credentials are in ${path}\n`,
      stderr: '',
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(relay.state.personas.authenticate(personaId, token)?.name).toBe('Ada');
    const again = await run(['enroll'], enrolling);
    expect(again.stdout).toBe(`${personaId} is enrolled already; its credentials are in ${path}\n`);
    expect(await run(['--check'], env)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`ok      relay: in as Ada (${personaId})`),
    });
  });

  it('says why the relay refuses, and where it is not', async () => {
    const { env } = await setUp();
    const enrolling = { ...env, PORTAL_INVITE: 'nonsense', PORTAL_PERSONA_NAME: 'Ada' };
    expect(await run(['enroll'], enrolling)).toEqual({
      code: 3,
      stdout: '',
      stderr: 'portal-mcpl: the relay does not accept PORTAL_INVITE: invite unknown\n',
    });
    const serving = node(PORTAL_BRIDGE, [], enrolling);
    expect(await serving.exited).toBe(3);
    expect(serving.stderr()).toContain('the relay does not accept PORTAL_INVITE: invite unknown');
    expect(serving.stdout()).toBe('');
  });
});

it('a persona that was enrolled and is taken away later is reported, and not enrolled anew', async () => {
  const { relay, env } = await setUp();
  const { code } = relay.state.personas.invite(2);
  const bridge = node(PORTAL_BRIDGE, [], { ...env, PORTAL_INVITE: code, PORTAL_PERSONA_NAME: 'Ada' });
  const ada = () => [...relay.state.personas.all.values()].find(({ name }) => name === 'Ada');
  await vi.waitFor(() => expect(ada() && relay.isPresent(ada() as never)).toBe(true), SOON);
  relay.revoke(ada() as never);
  await vi.waitFor(() => expect(bridge.stderr()).toContain('asking again, slowly'), SOON);
  bridge.endInput();
  expect(await bridge.exited).toBe(0);
  expect(ada()).toBeUndefined();
});

describe('portal-mcpl --check', () => {
  it('names what is missing, a line each', async () => {
    const { env, path, relay, persona } = await setUp();
    const none = await run(['--check'], env);
    expect(none).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `ok      store\nMISSING credentials: there are no credentials in ${path}: set PORTAL_INVITE to an invitation of the relay's operator\n`,
    });
    const known = { ...env, PORTAL_PERSONA: persona.id, PORTAL_TOKEN: 'wrong' };
    expect(await run(['--check'], known)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`MISSING relay: it does not let ${persona.id} in: auth failed`),
    });
    expect((await run(['--check'], known)).stderr).not.toContain('wrong');
    expect(relay.isPresent(persona)).toBe(false);
  });
});

it.each([
  ['no relay', {}, 2, 'PORTAL_URL is not set'],
  ['an open line', { PORTAL_URL: 'ws://10.1.2.3' }, 2, 'use wss:, or set PORTAL_ALLOW_PLAIN=on'],
  ['nobody to be', { PORTAL_URL: 'wss://x' }, 2, 'nobody to come in as'],
])('with %s the bridge says what to do, and nothing on standard output', async (_what, env, code, sentence) => {
  const ended = await run([], env as Record<string, string>);
  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(sentence) });
  expect(ended.stderr.split('\n')).toHaveLength(2);
});

it('an unknown key of the configuration file is named', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'config-')), 'config.json');
  writeFileSync(path, JSON.stringify({ uri: 'wss://x' }));
  expect(await run(['--config', path], {})).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown key "uri"; known are token, invite, presenceKey, url, allowPlain'),
  });
});
