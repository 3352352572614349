import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { afterThisTest } from '../helpers/cleanup.js';
import { startProgram } from '../helpers/programs.js';
import { openRoom, TOKEN } from '../helpers/scene.js';
import { read } from '../repository/files.js';

interface Service {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}
const { services } = parse(read('docker-compose.yml')) as { services: Record<string, Service> };

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** `${NAME:?why}` and `${NAME:-default}` as compose reads them. */
const interpolate = (text: string, env: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_whole, name: string, kind: string | undefined, rest = '') => {
    if (env[name]) return env[name];
    if (kind === '?') throw new Error(rest);
    return kind === '-' ? rest : '';
  });

it('compose runs Redis, the bridge and the host, and together they answer in the channel', async () => {
  const room = await openRoom();
  const [redisPort, bridgePort] = [await freePort(), await freePort()];
  const given = { DISCORD_TOKEN: TOKEN, DISCORD_API_BASE: room.sandbox.apiBase, MCPL_LISTEN_TOKEN: 'shared' };
  // On one machine the services' names are ports.
  const local = (text: string): string =>
    text.replace('redis:6379', `127.0.0.1:${redisPort}`).replace(/(0\.0\.0\.0|bridge):8780/, `127.0.0.1:${bridgePort}`);
  const run = (name: string, extra: readonly string[] = []) => {
    const { command = [], environment = {} } = services[name] ?? {};
    const env = Object.entries(environment).map(([key, value]) => [key, local(interpolate(value, given))]);
    const [program = '', ...args] = command.map(local);
    return startProgram(program === 'node' ? process.execPath : program, [...args, ...extra], Object.fromEntries(env));
  };

  expect(Object.keys(services).sort()).toEqual(['bridge', 'build', 'host', 'redis']);
  const redis = run('redis', [
    '--port',
    String(redisPort),
    '--bind',
    '127.0.0.1',
    '--dir',
    mkdtempSync(join(tmpdir(), 'compose-')),
  ]);
  await vi.waitFor(() => expect(redis.stdout()).toContain('Ready to accept connections'), 10_000);
  const client = new Redis(redisPort, '127.0.0.1');
  afterThisTest(async () => client.disconnect());
  expect(await client.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);

  expect(await run('build').exited).toBe(0);
  const bridge = run('bridge');
  await vi.waitFor(() => expect(bridge.stderr()).toContain('listening for hosts'), 10_000);
  const host = run('host');
  await vi.waitFor(() => expect(host.stdout()).toContain('"opened"'), 20_000);

  room.sandbox.post(room.general, room.alice, `<@${room.bot.user.id}> are you there?`);
  const answers = () => room.sandbox.history(room.general).filter((message) => message.author.id === room.bot.user.id);
  await vi.waitFor(
    () =>
      expect(answers().map((message) => message.content)).toEqual([
        'I read: [#general (Home)] alice: @agent are you there?',
      ]),
    20_000,
  );
  await vi.waitFor(
    () =>
      expect(host.lines().map((line) => line.type)).toEqual(
        expect.arrayContaining(['opened', 'occurrence', 'turn', 'published']),
      ),
    20_000,
  );
  expect((await client.keys('mcpl:{discord}:record:*')).length).toBeGreaterThan(0);
  expect(await client.get('mcpl:{discord}:waiting')).toBe('0');
});

it('compose says what to set when a secret is missing', () => {
  expect(() => interpolate(services.bridge?.environment?.DISCORD_TOKEN ?? '', {})).toThrow(
    "set DISCORD_TOKEN to your bot's token",
  );
});
