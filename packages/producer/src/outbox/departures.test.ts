import { describe, expect, it } from 'vitest';
import { occurrence, type Setting, setUp } from './scripted-host.testkit.js';

describe('messages of an open channel', () => {
  const INCOMING: Setting = { route: { kind: 'incoming', coalesce: true } };
  const results = (...accepted: boolean[]) => ({
    results: accepted.map((one, i) => ({ messageId: String(i + 1), accepted: one, ...(one ? {} : { reason: 'no' }) })),
  });

  it('share a request when they come together, in their order, no more than there may be', async () => {
    const { submit, settle, requests } = await setUp([], { ...INCOMING, maxMessages: 3 });
    for (const n of [1, 2, 3, 4, 5]) submit(occurrence(n));
    await settle();
    expect(requests()).toEqual([
      ['e1', 'e2', 'e3'],
      ['e4', 'e5'],
    ]);
  });

  it('each have the answer that is theirs', async () => {
    const { submit, settle, store } = await setUp([results(true, false, true)], INCOMING);
    const how = [1, 2, 3].map((n) => submit(occurrence(n)));
    await settle();
    expect(how.map((one) => one())).toEqual([
      { kind: 'delivered' },
      { kind: 'buried', reason: 'refused: no' },
      { kind: 'delivered' },
    ]);
    expect(await store.deadLetters(9)).toHaveLength(1);
  });

  it('are each asked alone for what the host refuses as a whole: one to blame takes no other with it', async () => {
    const { submit, settle, requests } = await setUp([-32602, {}, -32602, {}], INCOMING);
    const how = [1, 2, 3].map((n) => submit(occurrence(n)));
    await settle();
    expect(requests()).toEqual([['e1', 'e2', 'e3'], ['e1'], ['e2'], ['e3']]);
    expect(how.map((one) => one()?.kind)).toEqual(['delivered', 'buried', 'delivered']);
  });

  it('of which the host says nothing are sent again, and only those', async () => {
    const { submit, settle, pass, requests } = await setUp([results(true)], INCOMING);
    for (const n of [1, 2]) submit(occurrence(n));
    await settle();
    await pass(250);
    expect(requests()).toEqual([['e1', 'e2'], ['e2']]);
  });
});
