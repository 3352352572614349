import { ALL_LEAVES } from '@mcpl-bridges/protocol';
import { describe, expect, it } from 'vitest';
import type { NoticeOccurrence } from '../occurrence/occurrence.js';
import { occurrence, type Setting, setUp } from './scripted-host.testkit.js';

describe('notices for a host that cannot ask for renders', () => {
  const notice = (n: number, fields: Partial<NoticeOccurrence> = {}): NoticeOccurrence => ({
    kind: 'notice',
    eventId: `n${n}`,
    channelId: 'c',
    key: 'activity',
    initial: n === 1,
    featureSet: 'f',
    timestamp: '2026-01-01T00:00:00Z',
    content: [{ type: 'text', text: `there is more (${n})` }],
    tags: [`t${n}`],
    origin: {},
    ...fields,
  });
  const PLAIN: Setting = { leaves: { ...ALL_LEAVES, deferred: false } };

  it('become one summary when it has been quiet, and hold nobody up meanwhile', async () => {
    const { add, pass, sent, ids, summarised, outbox, store } = await setUp([], PLAIN);
    const first = await add(notice(1));
    await pass(1500);
    const second = await add(notice(2));
    await add(occurrence(7));
    expect(ids()).toEqual(['e7']);
    await pass(1500);
    expect(ids()).toEqual(['e7']);
    await pass(500);
    expect(summarised).toEqual([['n1', 'n2']]);
    expect(ids()).toEqual(['e7', 'n2']);
    expect(JSON.parse(sent[1]?.params ?? '')).toMatchObject({
      payload: { content: [{ text: 'summary' }] },
      tags: ['t1', 't2'],
      coalesce: { key: 'activity', channelId: 'c', initial: true },
    });
    expect(sent[1]?.params).not.toContain('deferred');
    expect([first(), second()]).toEqual([{ kind: 'folded' }, { kind: 'delivered' }]);
    expect([outbox.length, (await store.load()).entries]).toEqual([0, []]);
  });

  it('are told at the latest when the first has waited long enough', async () => {
    const { add, pass, ids } = await setUp([], PLAIN);
    for (let n = 1; n <= 9; n++) {
      await add(notice(n));
      await pass(1200);
    }
    expect(ids()).toEqual(['n9']);
  });

  it('that come to nothing are not told', async () => {
    const { add, pass, sent } = await setUp([], { ...PLAIN, summary: [] });
    const settlement = await add(notice(1));
    await pass(2000);
    expect([sent, settlement()]).toEqual([[], { kind: 'delivered' }]);
  });

  it('are sent as notices to a host that can', async () => {
    const { add, sent } = await setUp([]);
    await add(notice(1, { data: { n: 1 } }));
    expect(JSON.parse(sent[0]?.params ?? '').coalesce).toEqual({
      key: 'activity',
      channelId: 'c',
      initial: true,
      deferred: true,
      data: { n: 1 },
    });
  });
});
