import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setPresence, startTyping } from '@mcpl-bridges/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { BRIDGE, startProgram } from '../helpers/programs.js';
import { openRoom } from '../helpers/scene.js';
import { openPresence, type Payload, SOON } from './support.js';

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'presence-operator-'));
  afterThisTest(async () => rmSync(made, { recursive: true, force: true }));
  return made;
};

const ends = async (env: Record<string, string>) => {
  const program = startProgram(process.execPath, [BRIDGE], {
    DISCORD_TOKEN: 'x',
    DISCORD_API_BASE: 'http://127.0.0.1:9',
    ...env,
  });
  const code = await program.exited;
  return { code, stderr: program.stderr().trim(), stdout: program.stdout() };
};

const files = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('an operator who has set presence wrong', () => {
  it.each([
    [{ MCPL_PRESENCE_LISTEN: '127.0.0.1' }, /MCPL_PRESENCE_LISTEN is "127.0.0.1"; use host:port such as/],
    [{ MCPL_PRESENCE_LISTEN: '127.0.0.1:0' }, /MCPL_PRESENCE_TOKENS is needed with MCPL_PRESENCE_LISTEN/],
    [{ MCPL_PRESENCE_LISTEN: '127.0.0.1:0', MCPL_PRESENCE_TOKENS: '/nowhere' }, /MCPL_PRESENCE_TOKENS: \/nowhere/],
    [{ DISCORD_PRESENCE: 'loud' }, /DISCORD_PRESENCE holds "loud", which is no form of a channel/],
    [{ DISCORD_PRESENCE: 'state', MCPL_PRESENCE_KEY: 'short' }, /MCPL_PRESENCE_KEY must have at least 16 characters/],
    [
      { MCPL_PRESENCE_DEBOUNCE_MS: '60000' },
      /MCPL_PRESENCE_DEBOUNCE_MS is "60000"; use a whole number from 0 to 10000/,
    ],
  ])('reads what is wrong with %j, and nothing else happens', async (env, sentence) => {
    const { code, stderr, stdout } = await ends(env as Record<string, string>);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.split('\n')).toEqual([expect.stringMatching(sentence)]);
  });

  it('reads which entry of the tokens is wrong', async () => {
    const path = join(folder(), 'tokens.json');
    writeFileSync(path, '{"tokens":[{"sha256":"zz","user":"1"}]}');
    const { code, stderr } = await ends({ MCPL_PRESENCE_LISTEN: '127.0.0.1:0', MCPL_PRESENCE_TOKENS: path });
    expect(code).toBe(2);
    expect(stderr).toMatch(/tokens\.0\.sha256 must be the SHA-256 of the token/);
  });

  it('is told so by --check, too, and which intents are missing', async () => {
    const room = await openRoom();
    room.bot.privileged.presences = false;
    const program = startProgram(process.execPath, [BRIDGE, '--check'], {
      DISCORD_TOKEN: room.bot.token,
      DISCORD_API_BASE: room.sandbox.apiBase,
      MCPL_PRESENCE_LISTEN: '127.0.0.1:0',
      MCPL_STORE: 'memory:',
    });
    expect(await program.exited).toBe(1);
    expect(program.stderr()).toMatch(/^MISSING presence: MCPL_PRESENCE_TOKENS is needed/m);
    expect(program.stderr()).toMatch(/^MISSING Presence intent/m);
    expect(program.stderr()).toMatch(/^ok {6}Server Members intent/m);
  });

  it('reads which intents Discord wants switched on', async () => {
    const room = await openRoom();
    room.bot.privileged.presences = false;
    const { code, stderr } = await ends({
      DISCORD_PRESENCE: 'state',
      DISCORD_TOKEN: room.bot.token,
      DISCORD_API_BASE: room.sandbox.apiBase,
    });
    expect(code).toBe(4);
    expect(stderr).toMatch(/the Presence intent: switch on .*"Server Members Intent" and "Presence Intent"/);
  });
});

it('a host reads nothing but JSON-RPC, whatever a library says by the console', async () => {
  const library = `data:text/javascript,process.stdin.once('data', () => console.info('a library speaks'))`;
  const bridge = startProgram(process.execPath, ['--import', library, BRIDGE], {
    DISCORD_TOKEN: 'x',
    DISCORD_API_BASE: 'http://127.0.0.1:9',
    MCPL_STORE: 'memory:',
  });
  await vi.waitFor(() => expect(bridge.stderr()).toContain('Discord cannot be reached'), SOON);
  bridge.write('\n');
  await vi.waitFor(() => expect(bridge.stderr()).toContain('a library speaks'), SOON);
  expect(bridge.stdout()).toBe('');
});

describe('what is left of presence', () => {
  it('is nothing: no store and no log has the names that were served, after much coming and going', async () => {
    const store = folder();
    const room = await openRoom();
    const { world } = room.sandbox;
    setPresence(world, room.alice, 'online');
    const scene = await openPresence({
      room,
      env: {
        MCPL_STORE: `lmdb:${join(store, 'lmdb')}`,
        DISCORD_PRESENCE: 'state',
        DISCORD_MCPL_DEBUG_LOG: join(store, 'log'),
      },
    });
    const { seen } = scene.watch('alice', scene.way.channelId(room.general));
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0), SOON);
    for (let round = 0; round < 10; round++) {
      const told = seen.length;
      setPresence(world, room.bob, round % 2 ? 'idle' : 'online');
      if (round % 2) startTyping(world, room.general, room.bob.id);
      else room.sandbox.post(room.general, room.bob, `round ${round}`);
      await vi.waitFor(() => expect(seen.length).toBeGreaterThan(told), SOON);
    }
    const served = new Set(seen.flatMap(({ present }: Payload) => present).filter((ref) => ref.startsWith('user:')));
    expect(served.size).toBe(2);
    await scene.bridge.stop();
    const kept = [
      scene.stderr(),
      ...[...files(store), ...files(scene.folder)].map((path) => readFileSync(path, 'latin1')),
    ];
    // The agent's own record of who is here is found this way.
    const record = `presence:${scene.way.channelId(room.general)}`;
    expect(kept.some((text) => text.includes(record))).toBe(true);
    for (const ref of served) for (const text of kept) expect(text.includes(ref.slice('user:'.length))).toBe(false);
  });

  it('is a key for nobody else to read', async () => {
    const scene = await openPresence();
    const key = files(scene.folder).find((path) => path.endsWith('presence.key')) ?? '';
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(readFileSync(key, 'utf8')).toMatch(/^[0-9a-f]{64}$/);
  });
});
