import { describe, expect, it } from 'vitest';
import { Host } from './index.js';
import { connect, inRoom, ROOM, refusal, text } from './synthetic-server.testkit.js';

type Connected = Awaited<ReturnType<typeof connect>>;

/** Begins an assembly whose render is held until it is released. */
const held = async (scene: Connected, count = 1): Promise<{ done: Promise<readonly string[]> }> => {
  const done = scene.reads();
  await scene.renders.whenAsked(count);
  return { done };
};

/** A host that gives a render no time at all. */
const hasty = () => connect({ options: { renders: { timeoutMs: 20 } } });
const outcome = async (sent: Promise<unknown>) => ((await sent) as { coalesce: { outcome: string } }).coalesce.outcome;
const silent = { name: 'silent', respond: async () => undefined };

describe('a deferred batch', () => {
  it('16, 17: is rendered once, from its notices oldest first, and shows no fallback and no data', async () => {
    const scene = await connect();
    scene.renders.answer = () => text('rendered');
    const data = [{ a: [1, null, 'x'] }, 'two', 3];
    const outcomes = [];
    for (const [i, one] of data.entries()) outcomes.push(await outcome(scene.notice(`fallback ${i}`, { data: one })));
    expect(outcomes).toEqual(['first', 'replaced', 'replaced']);
    expect(await scene.reads()).toEqual(['rendered']);
    expect(scene.renders.asked).toMatchObject([{ featureSet: 'doc', key: 'K', eventId: 'e3', dropped: 0 }]);
    expect(scene.renders.asked[0]?.notices.map((notice) => notice.data)).toEqual(data);
    expect(scene.renders.asked[0]).not.toHaveProperty('channelId');
  });

  it('17: keeps the newest 64 of 100 notices and counts the others', async () => {
    const scene = await connect();
    scene.renders.answer = () => text('rendered');
    for (let i = 0; i < 100; i++) await scene.notice('fallback', { data: i });
    await scene.reads();
    const [asked] = scene.renders.asked;
    expect([asked?.notices.length, asked?.dropped, asked?.notices[0]?.data, asked?.notices.at(-1)?.data]).toEqual([
      64, 36, 36, 99,
    ]);
  });

  it('18, 19: is not rendered again; a later notice opens another', async () => {
    const scene = await connect();
    let n = 0;
    scene.renders.answer = () => text(`render ${++n}`);
    await scene.notice('fallback');
    expect(await scene.reads()).toEqual(['render 1']);
    expect(await scene.reads()).toEqual(['render 1']);
    expect(await outcome(scene.notice('fallback'))).toBe('first');
    expect(await scene.reads()).toEqual(['render 1', 'render 2']);
  });

  it('20, 20a: that renders to nothing starts no inference, unless there is something else', async () => {
    const scene = await connect();
    scene.renders.answer = ({ key }) => text(key === 'L' ? 'from L' : '');
    await scene.notice('fallback');
    await scene.notice('fallback', { key: 'M' });
    expect(await scene.host.turnForNews(silent)).toBeUndefined();
    await scene.notice('fallback');
    await scene.notice('fallback', { key: 'L' });
    expect((await scene.host.turnForNews(silent))?.context).toEqual(['from L']);
  });

  it('21: falls back on a time-out, an error, a useless answer and a server that is gone', async () => {
    const late = await hasty();
    await late.notice('fallback');
    expect(await late.reads()).toEqual(['fallback']);
    const failing = await connect();
    failing.renders.answer = () => {
      throw new Error('no');
    };
    await failing.notice('fallback 1');
    expect(await failing.reads()).toEqual(['fallback 1']);
    failing.renders.answer = () => ({ content: 'not a list' });
    await failing.notice('fallback 2');
    expect(await failing.reads()).toEqual(['fallback 1', 'fallback 2']);
    await failing.notice('fallback 3');
    await failing.session.close();
    expect(await failing.reads()).toEqual(['fallback 1', 'fallback 2', 'fallback 3']);
  });

  it('21: falls back when the server goes while it renders', async () => {
    const scene = await connect();
    await scene.notice('fallback');
    const { done } = await held(scene);
    await scene.wire.close();
    expect(await done).toEqual(['fallback']);
  });

  it('22: is frozen by its render; what comes during it waits for the next', async () => {
    const scene = await connect();
    await scene.notice('fallback', { data: 1 });
    const { done } = await held(scene);
    expect(await outcome(scene.notice('fallback', { data: 2 }))).toBe('first');
    scene.renders.release(text('one'));
    expect(await done).toEqual(['one']);
    scene.renders.answer = () => text('two');
    expect(await scene.reads()).toEqual(['one', 'two']);
    expect(scene.renders.asked.map((asked) => asked.notices.map((notice) => notice.data))).toEqual([[1], [2]]);
  });

  it('23: keeps its fallback when the result comes late', async () => {
    const scene = await hasty();
    await scene.notice('fallback');
    expect(await scene.reads()).toEqual(['fallback']);
    scene.renders.release(text('late'));
    expect(await scene.reads()).toEqual(['fallback']);
  });

  it('24: shows nothing once its authority has lapsed, during the render or before it', async () => {
    const scene = await connect();
    await scene.request('channels/register', { channels: [ROOM] });
    await scene.push('fallback', inRoom('K', { deferred: true }));
    const { done } = await held(scene);
    await scene.session.applyPolicy({ channels: [] });
    scene.renders.release(text('rendered'));
    expect(await done).toEqual([]);
    await scene.session.applyPolicy({});
    await scene.notice('fallback');
    await scene.session.applyPolicy({ disabled: ['doc'] });
    expect(await scene.reads()).toEqual([]);
    expect(scene.renders.asked).toHaveLength(1);
  });

  it('25: in two contexts is rendered once and shown in both', async () => {
    const scene = await connect({ options: { route: () => ['A', 'B'] } });
    scene.renders.answer = () => text('rendered');
    await scene.notice('fallback');
    const turns = await Promise.all([scene.host.turn(silent, 'A'), scene.host.turn(silent, 'B')]);
    expect(turns.map((turn) => turn.context)).toEqual([['rendered'], ['rendered']]);
    expect(scene.renders.asked).toHaveLength(1);
  });

  it('read in one context stays in the other: what comes next builds on it', async () => {
    const scene = await connect({ options: { route: () => ['A', 'B'] } });
    scene.renders.answer = () => text('rendered');
    await scene.notice('fallback');
    await scene.host.turn(silent, 'A');
    expect(await outcome(scene.push('plain', { coalesce: { key: 'K' } }))).toBe('appended');
    expect((await scene.host.turn(silent, 'B')).context).toEqual(['rendered', 'plain']);
  });

  it('26: lets no inference be asked for while it is rendered', async () => {
    const scene = await connect();
    await scene.notice('fallback');
    const { done } = await held(scene);
    const request = scene.request('inference/request', { featureSet: 'doc', messages: [] });
    await expect(request).rejects.toMatchObject(refusal(-32600));
    scene.renders.release(text('rendered'));
    await done;
  });
});

describe('a render overtaken', () => {
  it.each([
    ['27a: by a retraction shows nothing', 'rendered'],
    ['27b: by a retraction shows no fallback either', undefined],
  ])('%s', async (_what, result) => {
    const scene = await connect({ options: { renders: { timeoutMs: 100 } } });
    await scene.notice('fallback', { initial: true });
    const turn = scene.host.turnForNews(silent);
    await scene.renders.whenAsked(1);
    expect(await outcome(scene.push('[gone]', { coalesce: { key: 'K', retract: true } }))).toBe('retracted');
    if (result) scene.renders.release(text(result));
    expect(await turn).toBeUndefined();
  });

  it.each([
    ['27c: by a plain occurrence shows that alone', 'rendered'],
    ['27d: and no fallback', undefined],
  ])('%s', async (_what, result) => {
    const scene = await connect({ options: { renders: { timeoutMs: 100 } } });
    await scene.notice('fallback');
    const { done } = await held(scene);
    expect(await outcome(scene.push('plain', { coalesce: { key: 'K' } }))).toBe('replaced');
    if (result) scene.renders.release(text(result));
    expect(await done).toEqual(['plain']);
  });

  it('27f, 27g: takes what was pending behind it along', async () => {
    const scene = await connect();
    await scene.notice('fallback', { initial: true });
    const { done } = await held(scene);
    await scene.notice('fallback 2');
    expect(await outcome(scene.push('[gone]', { coalesce: { key: 'K', retract: true } }))).toBe('retracted');
    scene.renders.release(text('rendered'));
    expect(await done).toEqual([]);
    expect(await scene.reads()).toEqual([]);

    await scene.notice('fallback');
    const second = await held(scene, 2);
    await scene.notice('fallback 2');
    expect(await outcome(scene.push('plain', { coalesce: { key: 'K' } }))).toBe('replaced');
    scene.renders.release(text('rendered'));
    expect(await second.done).toEqual(['plain']);
    expect(scene.renders.asked).toHaveLength(2);
  });

  it('27i: a notice displaces an unread plain occurrence, and leaves a read one', async () => {
    const scene = await connect();
    scene.renders.answer = () => text('rendered');
    await scene.push('plain', { coalesce: { key: 'K' } });
    expect(await outcome(scene.notice('fallback'))).toBe('replaced');
    expect(await scene.reads()).toEqual(['rendered']);
    await scene.push('plain', { coalesce: { key: 'K' } });
    await scene.reads();
    await scene.notice('fallback');
    expect(await scene.reads()).toEqual(['rendered', 'plain', 'rendered']);
  });

  it('27j: a notice after the plain occurrence is new work', async () => {
    const scene = await connect();
    await scene.notice('fallback', { data: 1 });
    const { done } = await held(scene);
    await scene.notice('fallback', { data: 2 });
    await scene.push('plain', { coalesce: { key: 'K' } });
    await scene.notice('fallback', { data: 3 });
    scene.renders.release(text('late'));
    expect(await done).toEqual([]);
    scene.renders.answer = () => text('three');
    expect(await scene.reads()).toEqual(['three']);
    expect(scene.renders.asked[1]?.notices.map((notice) => notice.data)).toEqual([3]);
  });
});

describe('a host that is full', () => {
  it('34c: appends, notes and falls back, and never refuses', async () => {
    const scene = await connect({ host: new Host({ maxSubjects: 1 }) });
    await scene.push('holds the slot', { coalesce: { key: 'first', initial: true } });
    expect(await outcome(scene.push('created', { coalesce: { key: 'second', initial: true } }))).toBe('appended');
    expect(await outcome(scene.push('[gone]', { coalesce: { key: 'third', retract: true } }))).toBe('noted');
    expect(await outcome(scene.push('', { coalesce: { key: 'fourth', retract: true } }))).toBe('consumed');
    expect(await outcome(scene.notice('fallback'))).toBe('appended');
    expect(await scene.reads()).toEqual(['holds the slot', 'created', '[gone]', 'fallback']);
    expect(scene.renders.asked).toEqual([]);
  });

  it('makes room by letting go of what was read, which is unknown afterwards', async () => {
    const scene = await connect({ host: new Host({ maxSubjects: 1 }) });
    await scene.push('one', { coalesce: { key: 'first', initial: true } });
    await scene.reads();
    expect(await outcome(scene.push('two', { coalesce: { key: 'second', initial: true } }))).toBe('first');
    await scene.reads();
    expect(await outcome(scene.push('[gone]', { coalesce: { key: 'first', retract: true } }))).toBe('noted');
  });
});
