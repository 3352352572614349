import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { PORTAL } from '../helpers/platforms.js';
import { BRIDGE, HOST, node, PORTAL_BRIDGE } from '../helpers/programs.js';
import { openRoom, type Room, TOKEN } from '../helpers/scene.js';

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The files that README.md tells people to write for a program, with the one that was built here. */
const recipesOf = (
  name: string,
  program: string,
  local: Readonly<Record<string, string>>,
): Record<string, Record<string, Entry>>[] => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const blocks = [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => json);
  return blocks
    .filter((json) => json.includes(`"${name}"`))
    .map((json) =>
      JSON.parse(json, (_key, value) => {
        if (value?.command !== 'npx') return value;
        const env = { ...value.env, ...local, MCPL_STORE: 'memory:' };
        return { ...value, command: process.execPath, args: [program, ...value.args.slice(1)], env };
      }),
    );
};

const recipe = (room: Room, key: string, nth = 0): Entry => {
  const local = { DISCORD_TOKEN: TOKEN, DISCORD_API_BASE: room.sandbox.apiBase };
  const entry = recipesOf('discord-mcpl', BRIDGE, local).filter((one) => one[key])[nth]?.[key]?.discord;
  if (!entry) throw new Error(`README.md has no recipe with ${key}`);
  return entry;
};

/** Alice says hello to the agent until `isHeard`: nobody hears what was said before a bridge first came. */
const greeted = (room: Room, isHeard: () => boolean): Promise<void> =>
  vi.waitFor(
    () => {
      room.sandbox.post(room.general, room.alice, `<@${room.bot.user.id}> hello`);
      if (!isHeard()) throw new Error('nobody has heard alice');
    },
    { timeout: 15_000, interval: 500 },
  );

describe('what README.md tells people to write', () => {
  it.each(['mcplServers', 'mcpServers'])('works with %s', async (key) => {
    const room = await openRoom();
    const path = join(mkdtempSync(join(tmpdir(), 'recipe-')), 'mcpl-servers.json');
    writeFileSync(path, JSON.stringify({ [key]: { discord: recipe(room, key) } }));
    const host = node(HOST, ['run', '--config', path, '--model', 'echo']);
    const { sandbox, general, bot } = room;
    await greeted(room, () => sandbox.history(general).some(({ author }) => author.id === bot.user.id));
    host.kill('SIGTERM');
    expect(await host.exited).toBe(0);
  });

  it('works through a Portal relay', async () => {
    const room = await openRoom();
    const { sandbox, general, alice } = room;
    const way = await PORTAL.join(room);
    const path = join(mkdtempSync(join(tmpdir(), 'recipe-')), 'mcpl-servers.json');
    writeFileSync(path, JSON.stringify(recipesOf('portal-mcpl', PORTAL_BRIDGE, way.env)[0]));
    const host = node(HOST, ['run', '--config', path, '--model', 'echo']);
    await vi.waitFor(
      () => {
        sandbox.post(general, alice, `${way.agent} hello`);
        expect(sandbox.history(general).some(({ author }) => author.username === 'agent')).toBe(true);
      },
      { timeout: 15_000, interval: 500 },
    );
    host.kill('SIGTERM');
    expect(await host.exited).toBe(0);
  });

  it('gives any MCP client the tools', async () => {
    const room = await openRoom();
    const { command, args, env } = recipe(room, 'mcpServers');
    const client = new Client({ name: 'any', version: '1' });
    await client.connect(new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' }));
    afterThisTest(() => client.close());
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('send_message');
    const post = () => client.callTool({ name: 'send_message', arguments: { channelId: '#general', content: 'hi' } });
    await vi.waitFor(async () => expect((await post()).isError).not.toBe(true), { timeout: 10_000, interval: 200 });
    expect(room.sandbox.history(room.general).at(-1)?.content).toBe('hi');
  });

  it('tells a host that speaks channel notifications what happens', async () => {
    const room = await openRoom();
    const { command, args, env } = recipe(room, 'mcpServers', 1);
    const client = new Client({ name: 'coding agent', version: '1' });
    const told: unknown[] = [];
    client.fallbackNotificationHandler = async ({ method, params }) =>
      void told.push({ method, content: params?.content });
    await client.connect(new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' }));
    afterThisTest(() => client.close());
    await greeted(room, () => told.length > 0);
    expect(told[0]).toEqual({
      method: 'notifications/claude/channel',
      content: expect.stringMatching(/alice.*: @agent hello$/),
    });
  });
});

describe('a port of this machine', () => {
  const dial = async () => {
    const room = await openRoom();
    const bridge = node(BRIDGE, ['--tcp', '0'], {
      DISCORD_TOKEN: TOKEN,
      DISCORD_API_BASE: room.sandbox.apiBase,
      MCPL_STORE: 'memory:',
    });
    const port = await vi.waitFor(() => {
      const [, found] = /"port":(\d+)/.exec(bridge.stderr()) ?? [];
      if (!found) throw new Error('it does not listen yet');
      return Number(found);
    }, 10_000);
    const socket = connect(port, '127.0.0.1');
    afterThisTest(async () => void socket.destroy());
    const lines: string[] = [];
    createInterface(socket).on('line', (line) => lines.push(line));
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return { socket, lines, ended, bridge, room };
  };
  const INITIALIZE = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  };

  it('serves hosts that speak JSON lines', async () => {
    const { socket, lines } = await dial();
    socket.write(`${JSON.stringify(INITIALIZE)}\n`);
    await vi.waitFor(() => expect(lines).toHaveLength(1), 10_000);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ id: 1, result: { serverInfo: { name: 'discord-mcpl' } } });
  });

  it('hangs up on whatever speaks anything else, before it listens to a word of it', async () => {
    const { socket, lines, ended, room } = await dial();
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call' };
    const params = { name: 'send_message', arguments: { channelId: '#general', content: 'forged' } };
    socket.write(
      `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n${JSON.stringify(INITIALIZE)}\n${JSON.stringify({ ...call, params })}\n`,
    );
    await ended;
    expect(lines).toEqual([]);
    expect(room.sandbox.history(room.general)).toEqual([]);
  });
});
