import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { BRIDGE, HOST, node } from '../helpers/programs.js';
import { mcplId, openRoom, type Room, TOKEN } from '../helpers/scene.js';

const file = (name: string, value: unknown): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'mcpl-host-')), name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
};

const servers = (room: Room, extra: Record<string, unknown> = {}): string =>
  file('servers.json', {
    theme: 'dark',
    mcpServers: {
      discord: {
        command: process.execPath,
        args: [BRIDGE],
        env: { DISCORD_TOKEN: '${THE_TOKEN}', DISCORD_API_BASE: room.sandbox.apiBase, MCPL_LOG_LEVEL: 'warn' },
        alwaysAllow: ['send_message'],
        mcpl: { open: ['discord:*'], ...extra },
      },
    },
  });

const agent = (otherwise: Record<string, unknown>) => ({ name: 'a', wake: { otherwise } });

describe('mcpl-host', () => {
  it('runs the servers of a file that other programs use, with a scripted model', async () => {
    const room = await openRoom();
    const script = file('script.json', [
      'first answer',
      null,
      { text: 'third answer', channelId: mcplId(room.general) },
    ]);
    const host = node(HOST, ['run', '--config', servers(room), '--model', `script:${script}`], { THE_TOKEN: TOKEN });
    await vi.waitFor(() => expect(host.stdout()).toContain('"opened"'), 15_000);
    const said = () =>
      room.sandbox
        .history(room.general)
        .filter((message) => message.author.id === room.bot.user.id)
        .map((message) => message.content);
    const turns = () => host.lines().filter((line) => line.type === 'turn');
    for (const [i, text] of ['one', 'two', 'three'].entries()) {
      room.sandbox.post(room.general, room.alice, text);
      await vi.waitFor(() => expect(turns()).toHaveLength(i + 1), 15_000);
    }
    await vi.waitFor(() => expect(said()).toEqual(['first answer', 'third answer']), 10_000);
    expect(turns()[2]?.context).toEqual(['[#general (Home)] alice: one', 'first answer', 'alice: two', 'alice: three']);
    host.kill('SIGTERM');
    expect(await host.exited).toBe(0);
  });

  it('starts a bridge again that has crashed, and goes on', async () => {
    const room = await openRoom();
    const host = node(HOST, ['run', '--config', servers(room, { restart: { when: 'on-failure', firstMs: 20 } })], {
      THE_TOKEN: TOKEN,
    });
    await vi.waitFor(() => expect(host.stdout()).toContain('"opened"'), 15_000);
    const [bridge] = readFileSync(`/proc/${host.pid}/task/${host.pid}/children`, 'utf8').trim().split(' ');
    process.kill(Number(bridge), 'SIGKILL');
    await vi.waitFor(() => expect(host.lines().filter(({ type }) => type === 'opened')).toHaveLength(2), 15_000);
    expect(host.stderr()).toContain('will be tried again');
    room.sandbox.post(room.general, room.alice, `<@${room.bot.user.id}> still there?`);
    await vi.waitFor(
      () => expect(host.stdout()).toContain('I read: [#general (Home)] alice: @agent still there?'),
      15_000,
    );
  });

  it('runs agents side by side: each hears its channels, wakes by its rules, and keeps its conversations', async () => {
    const room = await openRoom();
    const config = servers(room);
    const quiet = { name: 'quiet', wake: { otherwise: { kind: 'skip' } } };
    const lively = {
      name: 'lively',
      model: 'echo',
      channels: [mcplId(room.general)],
      conversations: 'per-channel',
      wake: {
        rules: [{ match: { tagsAny: ['chat:mention'] }, behavior: { kind: 'immediate' } }],
        otherwise: { kind: 'skip' },
      },
    };
    const merged = { ...JSON.parse(readFileSync(config, 'utf8')), mcplHost: { agents: [quiet, lively] } };
    const host = node(HOST, ['run', '--config', file('agents.json', merged)], { THE_TOKEN: TOKEN });
    await vi.waitFor(() => expect(host.stdout()).toContain('"opened"'), 15_000);
    room.sandbox.post(room.general, room.alice, 'nobody is meant');
    room.sandbox.post(room.general, room.alice, `<@${room.bot.user.id}> you are`);
    await vi.waitFor(() => expect(host.stdout()).toContain('"published"'), 15_000);
    const turns = host.lines().filter(({ type }) => type === 'turn');
    expect(turns).toEqual([
      {
        type: 'turn',
        agent: 'lively',
        n: 1,
        conversation: `lively/${mcplId(room.general)}`,
        context: ['[#general (Home)] alice: nobody is meant', 'alice: @agent you are'],
      },
    ]);
  });

  it('plays a host that loses answers, and still nothing is there twice', async () => {
    const room = await openRoom();
    const faults = { answers: [{ method: 'channels/incoming', fate: 'disconnect', times: 1 }] };
    const config = servers(room, { faults, restart: { when: 'always', firstMs: 20 } });
    const host = node(HOST, ['run', '--config', config], { THE_TOKEN: TOKEN });
    const opened = () => host.lines().filter(({ type }) => type === 'opened');
    await vi.waitFor(() => expect(opened()).toHaveLength(1), 15_000);
    room.sandbox.post(room.general, room.alice, 'once');
    await vi.waitFor(() => expect(opened()).toHaveLength(2), 15_000);
    room.sandbox.post(room.general, room.alice, `<@${room.bot.user.id}> and again`);
    await vi.waitFor(() => expect(host.stdout()).toContain('"published"'), 20_000);
    const turns = host.lines().filter(({ type }) => type === 'turn');
    expect(turns.at(-1)?.context).toEqual([
      '[#general (Home)] alice: once',
      '[#general (Home)] alice: @agent and again',
    ]);
  });

  it('shows how it stands with RFC-006, case by case', async () => {
    const report = file('report.json', {});
    const host = node(HOST, ['conformance', '--case', '2,29', '--report', report]);
    expect(await host.exited).toBe(0);
    expect(host.stdout()).toMatch(/^2 +pass .*\n29 +pass .*\n2 pass, 0 fail, 0 unexercised of 2 \(strict\)\n$/);
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ pass: 2, results: [{ id: '2' }, { id: '29' }] });
    const nothing = node(HOST, ['conformance', '--profile', 'append-only', '--case', '2']);
    expect(await nothing.exited).toBe(1);
    expect(nothing.stdout()).toContain('this host does not offer pushEvents');
    const unknown = node(HOST, ['conformance', '--case', '99']);
    expect(await unknown.exited).toBe(2);
    expect(unknown.stderr()).toContain('--case is 99; use numbers from 1 to 49');
  });

  it('checks every server and says how it went', async () => {
    const room = await openRoom();
    const well = node(HOST, ['run', '--check', '--config', servers(room)], { THE_TOKEN: TOKEN });
    expect(await well.exited).toBe(0);
    const lost = file('servers.json', { mcpServers: { gone: { command: 'no-such-program' } } });
    const unwell = node(HOST, ['run', '--check', '--config', lost]);
    expect(await unwell.exited).toBe(1);
    expect(unwell.stderr()).toContain('cannot start no-such-program');
  });

  it.each([
    ['no file', [], /--config FILE is needed/],
    ['a file that is not there', ['--config', '/nowhere.json'], /\/nowhere\.json cannot be read as JSON/],
    [
      'a profile nobody knows',
      ['--config', 'x', '--profile', 'lax'],
      /--profile is lax; use one of strict, conservative, append-only, plain-mcp, buffering/,
    ],
    ['a leaf nobody knows', ['--config', 'x', '--without', 'sense'], /--without is sense; use one of pushEvents/],
    [
      'a leaf of a profile without any',
      ['--config', 'x', '--profile', 'append-only', '--without', 'deferred'],
      /profile append-only does not coalesce at all/,
    ],
    ['a model nobody knows', ['--config', 'x', '--model', 'oracle'], /--model is oracle; use echo/],
    [
      'a wrong type',
      ['--config', file('s.json', { mcpServers: { d: { command: 5 } } })],
      /s\.json: mcpServers\.d\.command: .*string/,
    ],
    [
      'an unknown member of ours',
      ['--config', file('s.json', { mcpServers: { d: { command: 'x', mcpl: { opn: [] } } } })],
      /mcpServers\.d\.mcpl: has no member opn/,
    ],
    [
      'a fault nobody knows',
      ['--config', file('s.json', { mcpServers: { d: { command: 'x', mcpl: { faults: { policy: 'lost' } } } } })],
      /mcpServers\.d\.mcpl\.faults\.policy: must be "absent", "empty"/,
    ],
    [
      'a wake rule without a behaviour of its kind',
      ['--config', file('s.json', { mcpServers: {}, mcplHost: { agents: [agent({ kind: 'sleepy' })] } })],
      /mcplHost\.agents\.0\.wake\.otherwise.*: must have a kind: immediate, debounce/,
    ],
    [
      'two agents of one name',
      ['--config', file('s.json', { mcpServers: {}, mcplHost: { agents: [{ name: 'a' }, { name: 'a' }] } })],
      /mcplHost\.agents: must have a name each/,
    ],
    [
      'a server that dials in without a token',
      ['--config', file('s.json', { mcpServers: { d: { listen: '127.0.0.1:0' } } })],
      /mcpServers\.d\.token: must be a token/,
    ],
    [
      'a variable that is not set',
      ['--config', file('s.json', { mcpServers: { d: { url: '${NOWHERE}' } } })],
      /mcpServers\.d: \$\{NOWHERE\} is not set/,
    ],
    [
      'a URL it cannot dial',
      ['--config', file('s.json', { mcpServers: { d: { url: 'http://x' } } })],
      /mcpServers\.d\.url: must be a ws/,
    ],
  ])('with %s says so and exits', async (_what, args, message) => {
    const host = node(HOST, ['run', ...args]);
    expect(await host.exited).toBe(2);
    expect(host.stderr()).toMatch(message);
    expect(host.stdout()).toBe('');
  });
});
