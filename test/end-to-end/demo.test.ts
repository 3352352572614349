import { describe, expect, it, vi } from 'vitest';
import { DEMO, node, type Program, startProgram } from '../helpers/programs.js';
import { openRoom, TOKEN } from '../helpers/scene.js';

interface Turn {
  readonly n: number;
  readonly context: string[];
}

const played = async (program: Program) => {
  const code = await program.exited;
  const lines = program.lines();
  const of = (type: string) => lines.filter((line) => line.type === type);
  const turns = of('turn') as unknown as Turn[];
  const deploy = String(of('occurrence')[0]?.key);
  const outcomes = of('occurrence')
    .filter((line) => line.key === deploy)
    .map((line) => line.outcome);
  return {
    code,
    lines,
    turns: turns.map((turn) => turn.context),
    outcomes,
    occurrences: of('occurrence'),
    published: of('published'),
    done: lines.at(-1),
  };
};

const holding = (texts: readonly string[] | undefined, part: string): number =>
  (texts ?? []).filter((text) => text.includes(part)).length;

const expectOneTruth = ([one = [], two = [], three = []]: string[][]): void => {
  expect(one).toEqual(['[#general (Sandbox)] alice (edited): deploy at 6', 'bob: ok']);
  expect(two.slice(0, one.length)).toEqual(one);
  expect(holding(two, 'deploy at 7')).toBe(1);
  expect(three.slice(0, two.length)).toEqual(two);
  expect(three).toHaveLength(two.length + 1);
  expect(three.at(-1)).toMatch(/^\[message deleted\] (rm_\d+_)?\d+ by alice$/);
  for (const gone of ['deploy at 5', 'never mind']) expect(holding(three, gone)).toBe(0);
};

describe('the demo', () => {
  it('by its command, shows one truth and nothing but JSON on standard output', async () => {
    const run = await played(startProgram('npm', ['start', '--silent', '--', '--once', '--json']));
    expect(run.done).toEqual({ type: 'done', ok: true });
    expect(run.code).toBe(0);
    expectOneTruth(run.turns);
    expect(run.outcomes).toEqual(['first', 'replaced', 'appended', 'noted']);
    expect(Object.keys(run.occurrences[0] ?? {})).toEqual(['type', 'eventId', 'lane', 'channelId', 'key', 'outcome']);
    expect(run.occurrences.map((line) => line.lane)).toEqual([
      'channels/incoming',
      'push/event',
      'channels/incoming',
      'channels/incoming',
      'push/event',
      'push/event',
      'push/event',
    ]);
    expect(run.published).toEqual([
      {
        type: 'published',
        channelId: expect.stringMatching(/^discord:\d+:\d+$/),
        messageId: expect.stringMatching(/^\d+$/),
        text: expect.any(String),
      },
    ]);
  });

  it('shows the same truth of a channel that is closed, by pushes alone', async () => {
    const run = await played(node(DEMO, ['--once', '--json', '--closed']));
    expect(run.done).toEqual({ type: 'done', ok: true });
    expectOneTruth(run.turns);
    expect(run.outcomes).toEqual(['first', 'replaced', 'appended', 'noted']);
    expect(new Set(run.occurrences.map((line) => line.lane))).toEqual(new Set(['push/event']));
  });

  it('shows the same truth through a Portal relay', async () => {
    const run = await played(node(DEMO, ['--once', '--json', '--portal']));
    expect(run.done).toEqual({ type: 'done', ok: true });
    expectOneTruth(run.turns);
    expect(run.outcomes).toEqual(['first', 'replaced', 'appended', 'noted']);
    expect(run.occurrences[0]?.eventId).toMatch(/^portal:create:rm_\d+_\d+$/);
  });

  it('appends everything for a host that does not coalesce, each with its own id', async () => {
    const run = await played(node(DEMO, ['--once', '--json', '--append-only']));
    expect(run.done).toEqual({ type: 'done', ok: true });
    expect(run.turns[0]).toEqual([
      '[#general (Sandbox)] alice: deploy at 5',
      '[#general (Sandbox)] alice (edited): deploy at 6',
      'bob: ok',
      'alice: never mind',
      expect.stringMatching(/^\[message deleted\] \d+ by alice$/),
    ]);
    const ids = run.occurrences.map((line) => line.eventId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(run.occurrences.every((line) => line.key === null)).toBe(true);
  });

  it('says what it does not know', async () => {
    const demo = node(DEMO, ['--script', 'hamlet']);
    expect(await demo.exited).toBe(1);
    expect(demo.stderr()).toContain('there is no script hamlet; there is lifecycle');
    expect(demo.stdout()).toBe('');
  });

  it('lets somebody act in the channel from the keyboard', async () => {
    const demo = node(DEMO, ['--json', '--script', 'lifecycle']);
    const until = async (condition: () => boolean): Promise<void> => {
      while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await until(() => demo.stderr().includes('now you:'));
    demo.write('alice lunch?\nedit dinner?\n');
    await until(
      () =>
        holding((demo.lines().at(-1) as unknown as Turn | undefined)?.context, 'dinner?') > 0 ||
        demo.lines().some((line) => line.type === 'published' && String(line.text).includes('dinner?')),
    );
    demo.write('quit\n');
    expect(await demo.exited).toBe(0);
    expect(demo.stdout()).not.toContain('lunch?"');
  });
});

describe('the demo against Discord itself', () => {
  it('opens every channel and answers only what addresses the bot', async () => {
    const { sandbox, general, alice, bot } = await openRoom();
    const env = { DISCORD_TOKEN: TOKEN, DISCORD_API_BASE: sandbox.apiBase };
    const demo = node(DEMO, ['--json'], env);
    const said = () => sandbox.history(general).filter((message) => message.author.id === bot.user.id);
    await vi.waitFor(() => expect(demo.stderr()).toContain('connected to Discord'), 15_000);
    // The first words that arrive as a message, not as a push, show that the channel is open.
    await vi.waitFor(() => {
      sandbox.post(general, alice, 'talking to nobody');
      expect(demo.stdout()).toContain('"lane":"channels/incoming"');
    }, 15_000);
    sandbox.post(general, alice, `<@${bot.user.id}> hello`);
    await vi.waitFor(
      () => expect(said().map((message) => message.content)).toEqual(['I read: alice: @agent hello']),
      15_000,
    );
    demo.kill('SIGINT');
    await demo.exited;
  });
});
