import { describe, expect, it } from 'vitest';
import { connect, text } from '../synthetic-server.testkit.js';

describe('renders', () => {
  it('are concurrent up to a limit; the others take their turn', async () => {
    const scene = await connect({ options: { renders: { maxConcurrent: 2 } } });
    for (const key of ['a', 'b', 'c', 'd']) await scene.notice(`fallback ${key}`, { key });
    const reading = scene.reads();
    await scene.renders.whenAsked(2);
    expect(scene.renders.asked).toHaveLength(2);
    for (let i = 3; i <= 4; i++) {
      scene.renders.release(text('rendered'));
      await scene.renders.whenAsked(i);
    }
    scene.renders.release(text('rendered'));
    scene.renders.release(text('rendered'));
    expect(await reading).toEqual(['rendered', 'rendered', 'rendered', 'rendered']);
  });

  it('never keep an assembly longer than one of them may take', async () => {
    const scene = await connect({ options: { renders: { maxConcurrent: 1, timeoutMs: 60 } } });
    for (let i = 0; i < 10; i++) await scene.notice(`fallback ${i}`, { key: `k${i}` });
    const before = performance.now();
    const read = await scene.reads();
    expect([...read].sort()).toEqual(Array.from({ length: 10 }, (_, i) => `fallback ${i}`));
    // Ten times one after the other would be 600 ms; a machine that is busy gets the benefit of the doubt.
    expect(performance.now() - before).toBeLessThan(500);
  });

  it('that bring more than they may fall back', async () => {
    const scene = await connect({ options: { renders: { maxBytes: 100 } } });
    scene.renders.answer = ({ key }) => text(key === 'big' ? 'x'.repeat(100) : 'small');
    await scene.notice('fallback', { key: 'big' });
    await scene.notice('fallback', { key: 'little' });
    expect([...(await scene.reads())].sort()).toEqual(['fallback', 'small']);
  });
});
