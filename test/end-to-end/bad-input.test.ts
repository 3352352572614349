import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChannel, openDm, setOverwrite } from '@mcpl-bridges/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { BRIDGE, node } from '../helpers/programs.js';
import { initialize, MCPL_ADVERT, rawHost } from '../helpers/raw-host.js';
import { eventIdOf, openRoom, openScene, type Room, TOKEN } from '../helpers/scene.js';

describe('a bridge that cannot start', () => {
  it('without a token says where to get one', async () => {
    const bridge = node(BRIDGE);
    expect(await bridge.exited).toBe(2);
    expect(bridge.stderr()).toBe(
      'discord-mcpl: DISCORD_TOKEN is not set: copy the token from discord.com/developers/applications › your app › Bot › Reset Token\n',
    );
    expect(bridge.stdout()).toBe('');
  });

  it('with a token that Discord does not accept says so once, and does not repeat it', async () => {
    const room = await openRoom();
    const { bridge } = rawHost(room, { DISCORD_TOKEN: 'wrong-token' });
    expect(await bridge.exited).toBe(3);
    expect(bridge.stderr()).toMatch(/^discord-mcpl: Discord does not accept DISCORD_TOKEN: copy a new one from .*\n$/);
    expect(bridge.stderr()).not.toContain('wrong-token');
    expect(bridge.stdout()).toBe('');
  });

  it('without the Message Content intent names the switch', async () => {
    const room = await openRoom();
    room.bot.privileged.messageContent = false;
    const { bridge } = rawHost(room);
    expect(await bridge.exited).toBe(4);
    expect(bridge.stderr().trim().split('\n').at(-1)).toBe(
      'discord-mcpl: Discord refuses the Message Content intent: switch on "Message Content Intent" at discord.com/developers/applications › your app › Bot › Privileged Gateway Intents',
    );
    expect(bridge.stdout()).toBe('');
  });

  it.each([
    [
      'its token is taken back',
      (room: Room) => room.sandbox.gateway.closeSockets(4004),
      3,
      'does not accept DISCORD_TOKEN',
    ],
    ['an intent is switched off', (room: Room) => room.sandbox.gateway.closeSockets(4014), 4, 'Message Content intent'],
    ['it has joined too many servers', (room: Room) => room.sandbox.gateway.closeSockets(4011), 5, 'too many servers'],
    [
      'a request is refused for its token',
      (room: Room) => {
        room.sandbox.faults.plan({ method: 'GET', fault: { kind: 'status', status: 401, body: '{"message":"401"}' } });
        room.sandbox.post(openDm(room.sandbox.world, [room.alice, room.bot.user]), room.alice, 'hello');
      },
      3,
      'does not accept DISCORD_TOKEN',
    ],
  ])('says so and ends when %s in mid-life', async (_what, happen, code, words) => {
    const scene = await openScene();
    happen(scene);
    expect(await scene.bridge.exited).toBe(code);
    expect(scene.stderr().trim().split('\n').at(-1)).toContain(words);
  });

  it('with a configuration key nobody knows names it and those it knows', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'bridge-')), 'config.json');
    writeFileSync(path, JSON.stringify({ token: TOKEN, chanels: [] }));
    const bridge = node(BRIDGE, ['--config', path]);
    expect(await bridge.exited).toBe(2);
    expect(bridge.stderr()).toMatch(
      /unknown key "chanels"; known are token, presenceKey, apiBase, guildId, dmUsers, [a-zA-Z, ]*, store, logLevel, debugLog, policyTimeoutMs\n$/,
    );
  });

  it('with a file for the log that cannot be written names it', async () => {
    const bridge = node(BRIDGE, [], { DISCORD_TOKEN: TOKEN, DISCORD_MCPL_DEBUG_LOG: '/nowhere/at/all.log' });
    expect(await bridge.exited).toBe(2);
    expect(bridge.stderr()).toMatch(/^discord-mcpl: DISCORD_MCPL_DEBUG_LOG: .*\/nowhere\/at\/all.log/);
  });

  it('on an address that another one has names it', async () => {
    const room = await openRoom();
    const env = { DISCORD_TOKEN: TOKEN, DISCORD_API_BASE: room.sandbox.apiBase, MCPL_STORE: 'memory:' };
    const bridge = node(BRIDGE, ['--tcp', new URL(room.sandbox.apiBase).port], env);
    expect(await bridge.exited).toBe(2);
    expect(bridge.stderr()).toMatch(/^discord-mcpl: --tcp: .*EADDRINUSE.*; use another address\n$/m);
  });

  it('with a store it cannot reach names it', async () => {
    const bridge = node(BRIDGE, [], { DISCORD_TOKEN: TOKEN, MCPL_STORE: 'redis://127.0.0.1:1' });
    expect(await bridge.exited).toBe(2);
    expect(bridge.stderr()).toMatch(/^discord-mcpl: MCPL_STORE: Redis at 127\.0\.0\.1:1 cannot be reached: .*\n$/);
  });

  it('with a store that another one uses says whose it is', async () => {
    const room = await openRoom();
    const state = mkdtempSync(join(tmpdir(), 'bridge-state-'));
    const env = { DISCORD_TOKEN: TOKEN, DISCORD_API_BASE: room.sandbox.apiBase, XDG_STATE_HOME: state };
    const first = node(BRIDGE, [], env);
    await vi.waitFor(() => expect(first.stderr()).toContain('connected to Discord'), 10_000);
    const second = node(BRIDGE, [], env);
    expect(await second.exited).toBe(2);
    expect(second.stderr()).toMatch(
      new RegExp(
        `^discord-mcpl: MCPL_STORE: ${state}.* is in use by process ${first.pid}; stop that one, or use another`,
      ),
    );
    first.endInput();
    expect(await first.exited).toBe(0);
    const third = node(BRIDGE, [], env);
    await vi.waitFor(() => expect(third.stderr()).toContain('connected to Discord'), 10_000);
  });

  it('open to the network without a token says what to set', async () => {
    const bridge = node(BRIDGE, ['--listen', '0.0.0.0:0'], { DISCORD_TOKEN: TOKEN });
    expect(await bridge.exited).toBe(2);
    expect(bridge.stderr()).toBe(
      'discord-mcpl: MCPL_LISTEN_TOKEN is needed to listen on 0.0.0.0: set it, or listen on 127.0.0.1\n',
    );
  });

  it('--check says line by line what is there and what is missing', async () => {
    const room = await openRoom();
    const env = { DISCORD_TOKEN: TOKEN, DISCORD_API_BASE: room.sandbox.apiBase };
    const well = node(BRIDGE, ['--check'], env);
    expect(await well.exited).toBe(0);
    expect(well.stderr().match(/^ok/gm)).toHaveLength(4);
    expect(well.stderr()).not.toMatch(/^note/m);
    const bot = { id: room.bot.user.id, type: 1 } as const;
    setOverwrite(room.sandbox.world, room.general, bot, { deny: ['SendMessages', 'AttachFiles'] });
    const hidden = createChannel(room.sandbox.world, room.guild, 'hidden');
    setOverwrite(room.sandbox.world, hidden, { id: room.guild.id, type: 0 }, { deny: ['ViewChannel'] });
    const narrow = node(BRIDGE, ['--check'], env);
    expect(await narrow.exited).toBe(0);
    expect(narrow.stderr()).toMatch(/^note {3}#general \(Home\): without Send Messages, Attach Files$/m);
    expect(narrow.stderr()).toMatch(/^note {3}#hidden \(Home\): the bot does not see it \(View Channel\)$/m);
    room.bot.privileged.messageContent = false;
    const unwell = node(BRIDGE, ['--check'], env);
    expect(await unwell.exited).toBe(1);
    expect(unwell.stderr()).toMatch(/^MISSING Message Content intent/m);
    const wrong = node(BRIDGE, ['--check'], { ...env, DISCORD_TOKEN: 'wrong' });
    expect(await wrong.exited).toBe(1);
    expect(wrong.stderr()).toMatch(/^MISSING token: Discord does not accept DISCORD_TOKEN/m);
  });
});

describe('a host that sends rubbish', () => {
  it.each([
    ['malformed JSON', '{"jsonrpc": "2.0", "id": 1,\n', -32700, 'not JSON'],
    ['a binary frame', Buffer.from([0x80, 0xff, 0x00, 0x0a]), -32700, 'not text'],
    ['a batch', '[{"jsonrpc":"2.0","id":5,"method":"ping"}]\n', -32600, 'batches'],
    ['an oversized frame', `"${'x'.repeat(11 * 1024 * 1024)}"\n`, -32600, 'exceeds the limit of 10485760'],
  ])('gets one error for %s, and is served afterwards', async (_what, bytes, code, part) => {
    const host = rawHost(await openRoom(), { MCPL_LOG_LEVEL: 'warn' });
    host.bridge.write(bytes);
    expect(await host.answer(null)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code, message: expect.stringContaining(part) },
    });
    expect(await initialize(host)).toMatchObject({ protocolVersion: '2024-11-05' });
    expect(host.bridge.lines().filter((line) => 'error' in line)).toHaveLength(1);
    expect(host.bridge.stderr()).toContain('a frame was refused');
  });

  it('gets -32602 with the field for a policy that contradicts itself', async () => {
    const host = rawHost(await openRoom());
    await initialize(host);
    const params = { effectiveCapabilities: ['channels.*'], deniedCapabilities: ['channels.publish'] };
    host.send({ id: 2, method: 'featureSets/update', params });
    expect((await host.answer(2)).error).toMatchObject({ code: -32602, data: { field: 'deniedCapabilities' } });
  });

  it('gets an error, not silence, for what nobody serves', async () => {
    const host = rawHost(await openRoom());
    await initialize(host);
    host.send({ id: 2, method: 'inference/lifecycle', params: {} });
    host.send({ id: 3, method: 'resources/list', params: {} });
    expect((await host.answer(2)).error).toMatchObject({ code: -32601 });
    expect((await host.answer(3)).error).toMatchObject({ code: -32601 });
  });
});

describe('a host that never sends its policy', () => {
  it('gets tools but no messages, and is told of in the log', async () => {
    const room = await openRoom();
    const host = rawHost(room, { MCPL_POLICY_TIMEOUT_MS: '200' });
    await initialize(host);
    await vi.waitFor(
      () =>
        expect(host.bridge.stderr()).toContain(
          'the host has not sent featureSets/update: messages are held until it does',
        ),
      10_000,
    );
    host.send({ id: 2, method: 'tools/list' });
    expect(JSON.stringify(await host.answer(2))).toContain('send_message');
    host.send({ id: 3, method: 'channels/publish', params: { channelId: 'x', content: 'y' } });
    expect((await host.answer(3)).error).toEqual({
      code: -32002,
      message: 'Capability denied: channels.publish',
      data: { capability: 'channels.publish' },
    });
    room.sandbox.post(room.general, room.alice, `<@${room.bot.user.id}> hello`);
    await vi.waitFor(() => expect(host.bridge.stderr()).toContain('connected to Discord'), 10_000);
    expect([
      ...host.asked('channels/register'),
      ...host.asked('push/event'),
      ...host.asked('channels/incoming'),
    ]).toEqual([]);
  });

  it('or sends it as a Notification, gets no more', async () => {
    const host = rawHost(await openRoom());
    await initialize(host);
    host.send({ method: 'featureSets/update', params: { effectiveCapabilities: ['pushEvents', 'channels.register'] } });
    await vi.waitFor(() => expect(host.bridge.stderr()).toContain('only its reductions apply'), 10_000);
    host.send({ id: 2, method: 'channels/list' });
    expect((await host.answer(2)).error).toMatchObject({ code: -32002 });
    expect(host.asked('channels/register')).toEqual([]);
  });
});

describe('a host that denies everything', () => {
  it('gets an honest receipt, nothing else, and the log says what to grant', async () => {
    const room = await openRoom();
    const host = rawHost(room);
    await initialize(host);
    host.send({ id: 2, method: 'featureSets/update', params: {} });
    expect((await host.answer(2)).result).toEqual({
      accepted: true,
      mode: 'degraded',
      unavailableFeatures: [
        {
          featureSet: 'discord.messaging',
          missingCapabilities: expect.arrayContaining(['pushEvents', 'channels.incoming', 'tools']),
          effect: 'disabled',
        },
        ...['channels', 'history', 'subscriptions'].map((name) => ({
          featureSet: `discord.${name}`,
          missingCapabilities: ['tools'],
          effect: 'disabled',
        })),
      ],
    });
    await vi.waitFor(
      () => expect(host.bridge.stderr()).toMatch(/the host denies everything: .*grant these capabilities/),
      10_000,
    );
    host.send({ id: 3, method: 'tools/list' });
    expect((await host.answer(3)).result).toEqual({ tools: [] });
    expect(host.asked('channels/register')).toEqual([]);
  });

  it('and changes its mind, gets what was held', async () => {
    const scene = await openScene({ policy: { capabilities: [] }, open: false, registered: false });
    await vi.waitFor(() => expect(scene.stderr()).toContain('connected to Discord'), 10_000);
    const message = scene.sandbox.post(scene.general, scene.alice, `<@${scene.bot.user.id}> hello`);
    await scene.session.applyPolicy({});
    await scene.reports.of(eventIdOf.create(message));
    expect(await scene.reads()).toEqual(['alice: @agent hello']);
  });
});

describe('a host that speaks no MCPL', () => {
  it('gets a plain MCP server: tools, and no word of MCPL', async () => {
    const host = rawHost(await openRoom());
    const { capabilities } = await initialize(host, {});
    expect(capabilities).toEqual({ tools: { listChanged: true } });
    host.send({ id: 2, method: 'tools/list' });
    expect(JSON.stringify(await host.answer(2))).toContain('send_message');
    host.send({ id: 3, method: 'ping' });
    expect(await host.answer(3)).toEqual({ jsonrpc: '2.0', id: 3, result: {} });
  });
});

describe('standard output', () => {
  it('carries nothing but JSON-RPC, at the loudest log level and to the end', async () => {
    const room = await openRoom();
    const host = rawHost(room, { MCPL_LOG_LEVEL: 'trace' });
    await initialize(host, MCPL_ADVERT);
    const grant = ['tools', 'pushEvents', 'channels.*'];
    host.send({ id: 2, method: 'featureSets/update', params: { effectiveCapabilities: grant } });
    await vi.waitFor(() => expect(host.asked('channels/register')).toHaveLength(1), 10_000);
    host.bridge.endInput();
    expect(await host.bridge.exited).toBe(0);
    expect(host.bridge.lines().every((line) => line.jsonrpc === '2.0')).toBe(true);
  });

  it('and a file for the log has more than standard error, for its owner only', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'log-')), 'debug.log');
    const scene = await openScene({ env: { MCPL_LOG_LEVEL: 'silent', DISCORD_MCPL_DEBUG_LOG: path } });
    const message = scene.sandbox.post(scene.general, scene.alice, 'a private matter');
    await vi.waitFor(() => expect(readFileSync(path, 'utf8')).toContain(eventIdOf.create(message)), 10_000);
    expect(readFileSync(path, 'utf8')).not.toMatch(new RegExp(`a private matter|${TOKEN}`));
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(scene.stderr()).toBe('');
  });

  it('and the log holds neither the token nor what people say', async () => {
    const scene = await openScene({ env: { MCPL_LOG_LEVEL: 'debug' } });
    const message = scene.sandbox.post(scene.general, scene.alice, 'a private matter');
    await vi.waitFor(() => expect(scene.stderr()).toContain(eventIdOf.create(message)), 10_000);
    await scene.bridge.stop();
    expect(scene.stderr()).not.toMatch(new RegExp(`a private matter|${TOKEN}`));
  });
});

describe('the end of the host', () => {
  it('is the end of the bridge, within a moment', async () => {
    const host = rawHost(await openRoom());
    await initialize(host);
    host.bridge.endInput();
    expect(await host.bridge.exited).toBe(0);
  });
});
