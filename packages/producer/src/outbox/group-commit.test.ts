import { describe, expect, it } from 'vitest';
import { silentLog } from '../log.js';
import { MemoryStore } from '../store/memory-store.js';
import { type Store, StoreLostWrites, type StoreStep, StoreTakenOver } from '../store/store.js';
import { GroupCommit, type Health } from './group-commit.js';

const record = (key: string): StoreStep => ({ kind: 'record', key, value: key });

/** A store whose next commits end as told, or wait to be told. */
const setUp = (fates: ('ok' | 'waits' | Error)[] = []) => {
  let now = 0;
  const timers: { at: number; action: () => void }[] = [];
  const kept = new MemoryStore();
  const commits: { steps: readonly StoreStep[]; isRestated: boolean | undefined }[] = [];
  let release = (): void => {};
  let takeOver: (error: StoreTakenOver) => void = () => {};
  const store: Store = {
    load: () => kept.load(),
    deadLetters: (limit) => kept.deadLetters(limit),
    read: (key) => kept.read(key),
    close: async () => {},
    onTakenOver: (listener) => {
      takeOver = listener;
    },
    commit: async (steps, isRestated) => {
      commits.push({ steps, isRestated });
      const fate = fates.shift() ?? 'ok';
      if (fate instanceof Error) throw fate;
      if (fate === 'waits') await new Promise<void>((resolve) => (release = resolve));
      return kept.commit(steps);
    },
  };
  const health: Health[] = [];
  const group = new GroupCommit({
    store,
    log: silentLog,
    random: () => 0.5,
    restate: () => [record('all there is')],
    onHealth: (one) => health.push(one),
    time: {
      monotonic: () => now,
      after: (ms, action) => {
        timers.push({ at: now + ms, action });
        return () => {};
      },
    },
  });
  const turn = async () => {
    for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = async (ms: number) => {
    now += ms;
    for (const timer of timers.splice(0))
      if (timer.at <= now) timer.action();
      else timers.push(timer);
    await turn();
  };
  const done: string[] = [];
  const add = (key: string) => group.add(record(key), () => done.push(key));
  const keys = () => commits.map(({ steps }) => steps.map((step) => (step.kind === 'record' ? step.key : step.kind)));
  return {
    group,
    commits,
    keys,
    health,
    done,
    add,
    turn,
    pass,
    release: () => release(),
    takeOver: () => takeOver(GONE),
  };
};

const GONE = new StoreTakenOver('another has it');

describe('what is to be kept', () => {
  it('of one turn is one commit, and so is all that comes up while one is under way', async () => {
    const { add, keys, turn, release, done } = setUp(['waits']);
    add('a');
    add('b');
    await turn();
    add('c');
    await turn();
    add('d');
    expect([keys(), done]).toEqual([[['a', 'b']], []]);
    release();
    await turn();
    expect(keys()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(done).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is tried again as it was while the store fails; nothing overtakes it, and it is said once', async () => {
    const { add, keys, turn, pass, done, health } = setUp([new Error('no space'), new Error('no space')]);
    add('a');
    await turn();
    add('b');
    await pass(125);
    expect([keys(), done]).toEqual([[['a'], ['a']], []]);
    await pass(250);
    expect(keys()).toEqual([['a'], ['a'], ['a'], ['b']]);
    expect(done).toEqual(['a', 'b']);
    expect(health).toEqual([{ kind: 'degraded', reason: 'no space' }, { kind: 'ok' }]);
  });

  it('that the store does not answer for is called out after a while, without being made twice', async () => {
    const { add, keys, turn, pass, release, health } = setUp(['waits']);
    add('a');
    await turn();
    await pass(1999);
    expect(health).toEqual([]);
    await pass(1);
    expect(health).toEqual([{ kind: 'degraded', reason: 'no answer for 2000 ms' }]);
    release();
    await turn();
    expect([keys(), health.at(-1)]).toEqual([[['a']], { kind: 'ok' }]);
  });

  it('is told together with everything there is to a store that has lost some', async () => {
    const { add, commits, keys, turn, done, health } = setUp([new StoreLostWrites('gone')]);
    add('a');
    await turn();
    expect(keys()).toEqual([['a'], ['all there is', 'a']]);
    expect(commits.map(({ isRestated }) => isRestated)).toEqual([false, true]);
    expect([done, health]).toEqual([['a'], []]);
  });

  it.each(['by an answer', 'by itself'])(
    'stays where it is once another instance has the store, told %s',
    async (how) => {
      const { add, keys, turn, pass, done, health, takeOver, group } = setUp(how === 'by itself' ? [] : [GONE]);
      if (how === 'by itself') takeOver();
      add('a');
      await turn();
      add('b');
      await pass(60_000);
      expect([keys(), done]).toEqual([how === 'by itself' ? [] : [['a']], []]);
      expect(health).toEqual([{ kind: 'taken-over', reason: 'another has it' }]);
      await group.close();
    },
  );
});
