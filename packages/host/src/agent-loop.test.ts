import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AdmittedOccurrence, AgentLoop, Host, type Turn, type WakePolicy } from './index.js';
import { paperJournal } from './paper-journal.testkit.js';

const POLICY: WakePolicy = {
  rules: [{ match: { tagsAny: ['probe:wake'] }, behavior: { kind: 'debounce', ms: 100, maxMs: 400 } }],
  otherwise: { kind: 'skip' },
};
const WAKE = ['probe:wake'];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const start = (host = new Host()) => {
  const turns: Turn[] = [];
  const loop = new AgentLoop({
    host,
    model: { name: 'silent', respond: async () => undefined },
    wake: POLICY,
    onTurn: (turn) => turns.push(turn),
    onError: (error) => {
      throw error;
    },
  });
  let n = 0;
  const occur = (text: string, kind: 'plain' | 'retract' | 'ordinary' | 'deferred', tags: string[] = []) => {
    const common = { scope: { kind: 'featureSet', featureSet: 'f' }, key: 'K' } as const;
    const treatment: AdmittedOccurrence['treatment'] =
      kind === 'ordinary'
        ? { kind }
        : kind === 'retract'
          ? { kind, ...common }
          : kind === 'plain'
            ? { kind, ...common, initial: true }
            : { kind, ...common, initial: true, featureSet: 'f' };
    const content = text === '' ? [] : [{ type: 'text' as const, text }];
    host.engine.admit(
      { binding: 's#1', eventId: `e${++n}`, timestamp: '2026-01-01T00:00:00Z', content, tags, treatment },
      1,
    );
  };
  return { loop, turns, occur };
};

describe("an agent's turns", () => {
  it('43: do not start for what does not qualify, or no longer does, or was taken back', async () => {
    const { turns, occur } = start();
    occur('skipped', 'plain');
    await vi.advanceTimersByTimeAsync(1000);
    occur('wakes', 'plain', WAKE);
    occur('does not', 'plain');
    await vi.advanceTimersByTimeAsync(1000);
    occur('wakes', 'plain', WAKE);
    occur('[gone]', 'retract');
    await vi.advanceTimersByTimeAsync(1000);
    expect(turns).toEqual([]);
  });

  it('43: start for a replacement that qualifies, once', async () => {
    const { turns, occur } = start();
    occur('skipped', 'plain');
    occur('wakes', 'plain', WAKE);
    occur('wakes again', 'plain', WAKE);
    await vi.advanceTimersByTimeAsync(1000);
    expect(turns.map((turn) => turn.context)).toEqual([['wakes again']]);
  });

  it('36: are never put off beyond the bound by a subject that keeps changing', async () => {
    const { turns, occur } = start();
    for (let i = 0; i < 25; i++) {
      occur(`revision ${i}`, 'plain', WAKE);
      await vi.advanceTimersByTimeAsync(40);
    }
    expect(turns.length).toBeGreaterThanOrEqual(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(turns.at(-1)?.context.at(-1)).toBe('revision 24');
  });

  it('20: do not start for a batch that comes to nothing', async () => {
    const { turns, occur } = start();
    occur('', 'deferred', WAKE);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(turns).toEqual([]);
    occur('fallback', 'deferred', WAKE);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(turns.map((turn) => turn.context)).toEqual([['fallback']]);
  });

  it('start for what an earlier process had admitted, under the policy of today', async () => {
    const reopen = paperJournal(1000);
    const before = start(new Host({ journal: reopen() }));
    before.occur('left behind', 'plain', WAKE);
    before.loop.stop();
    const { turns } = start(new Host({ journal: reopen() }));
    await vi.advanceTimersByTimeAsync(1000);
    expect(turns.map((turn) => turn.context)).toEqual([['left behind']]);
  });

  it('wait while the operator has paused them', async () => {
    const { loop, turns, occur } = start();
    loop.pause();
    occur('patience', 'ordinary', WAKE);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(turns).toEqual([]);
    loop.resume();
    await vi.advanceTimersByTimeAsync(100);
    expect(turns).toHaveLength(1);
    loop.stop();
  });
});
