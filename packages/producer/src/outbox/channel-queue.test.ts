import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queueOf, subjectOf } from '../occurrence/occurrence.js';
import type { WireForm } from '../occurrence/wire-form.js';
import { LmdbStore } from '../store/lmdb-store.js';
import { MemoryStore } from '../store/memory-store.js';
import type { StoreStep } from '../store/store.js';
import { occurrence, setUp } from './scripted-host.testkit.js';

describe('a channel on its way to the host', () => {
  it('is under way many at once, in order; a subject only when what it sent before has been answered', async () => {
    const { add, ids, release, outbox } = await setUp(['held', 'held', 'held', 'held']);
    const edit = { ...occurrence(1, 'edit'), eventId: 'e1b' };
    for (const one of [occurrence(1), occurrence(2), edit, occurrence(3)]) await add(one);
    expect(ids()).toEqual(['e1', 'e2', 'e3']);
    await release();
    expect(ids()).toEqual(['e1', 'e2', 'e3', 'e1b']);
    for (let i = 0; i < 3; i++) await release();
    expect(outbox.length).toBe(0);
  });

  it('is under way no more at once than it may', async () => {
    const { add, ids, release } = await setUp(['held', 'held', 'held'], { inFlight: 2 });
    for (const n of [1, 2, 3]) await add(occurrence(n));
    expect(ids()).toEqual(['e1', 'e2']);
    await release();
    expect(ids()).toEqual(['e1', 'e2', 'e3']);
  });

  it('repeats what failed before it sends what is behind', async () => {
    const { add, ids, pass, release } = await setUp(['held', 'lost', 'held']);
    const third = { ...occurrence(3) };
    await add(occurrence(1));
    await add(occurrence(2));
    await add(third);
    expect(ids()).toEqual(['e1', 'e2']);
    await release();
    await pass(250);
    expect(ids()).toEqual(['e1', 'e2', 'e2', 'e3']);
  });

  it('pauses after a failure, and goes on in order', async () => {
    const { add, ids, pass } = await setUp(['lost']);
    const first = await add(occurrence(1));
    await add(occurrence(2));
    expect(ids()).toEqual(['e1']);
    await pass(250);
    expect(ids()).toEqual(['e1', 'e1', 'e2']);
    expect(first()).toEqual({ kind: 'delivered' });
  });

  it('sends the same bytes again, whatever has changed meanwhile', async () => {
    const { add, sent, pass } = await setUp([-32603, 'lost']);
    await add(occurrence(1));
    await pass(1000);
    await pass(1000);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ params }) => params)).size).toBe(1);
  });

  it('waits out its pause though more arrives', async () => {
    const { add, ids, pass } = await setUp(['lost']);
    await add(occurrence(1));
    for (const n of [2, 3, 4]) await add(occurrence(n));
    expect(ids()).toEqual(['e1']);
    await pass(249);
    expect(ids()).toEqual(['e1', 'e1', 'e2', 'e3', 'e4']);
  });

  it('never asks again under a policy that refused it, whatever else happens, and asks under the next', async () => {
    const { wake, add, ids, policy } = await setUp([-32002]);
    await add(occurrence(1));
    await add(occurrence(2));
    await wake();
    expect(ids()).toEqual(['e1']);
    await policy();
    expect(ids()).toEqual(['e1', 'e1', 'e2']);
  });

  it('goes on behind what the host will never take', async () => {
    const { add, ids, store } = await setUp([-32602]);
    const first = await add(occurrence(1));
    const second = await add(occurrence(2));
    expect(first()).toEqual({ kind: 'buried', reason: 'refused: no (-32602)' });
    expect(second()).toEqual({ kind: 'delivered' });
    expect(ids()).toEqual(['e1', 'e2']);
    expect(await store.deadLetters(9)).toMatchObject([{ occurrence: { eventId: 'e1' } }]);
  });

  it('registers once more for a channel the host does not know, then gives up', async () => {
    const { add, ids } = await setUp([-32023, -32017]);
    const first = await add(occurrence(1));
    expect(ids()).toEqual(['e1', 'e1']);
    expect(first()).toEqual({ kind: 'buried', reason: 'channel_refused' });
  });

  it('stops at the deadline and lets the next one pass', async () => {
    const { add, ids, pass } = await setUp(['lost']);
    const first = await add(occurrence(1));
    const second = await add(occurrence(2));
    await pass(3_570_001);
    expect(first()).toEqual({ kind: 'buried', reason: 'expired' });
    expect(second()).toEqual({ kind: 'delivered' });
    expect(ids()).toEqual(['e1', 'e2']);
  });

  it('stops at the shortest window that was advertised while it was tried', async () => {
    const { add, ids, pass, advertise } = await setUp(['lost', 'lost', 'lost']);
    advertise(7_200_000);
    const settlement = await add(occurrence(1));
    await pass(1_800_000);
    advertise(3_600_000);
    await pass(1_000_000);
    advertise(7_200_000);
    await pass(1_000_000);
    expect(ids()).toEqual(['e1', 'e1', 'e1']);
    expect(settlement()).toEqual({ kind: 'buried', reason: 'expired' });
  });

  it('is folded only before its first attempt', async () => {
    const { add, ids, pass, sent } = await setUp(['lost']);
    await add(occurrence(1));
    const edit = { ...occurrence(1, 'edit'), eventId: 'e1b' };
    await add(edit);
    await add({ ...edit, eventId: 'e1c', content: [{ type: 'text', text: 'last' }] });
    await pass(250);
    expect(ids()).toEqual(['e1', 'e1', 'e1c']);
    expect(sent[2]?.params).toContain('last');
  });

  it('is enriched only before its first attempt, and never by something new', async () => {
    const { add, ids, pass, sent, outbox } = await setUp(['lost']);
    const first = occurrence(1);
    const enrich = (text: string) => outbox.enrich(subjectOf(first), queueOf(first), [{ type: 'text', text }]);
    expect(await enrich('nothing is there yet')).toBe(false);
    await add(first);
    await add({ ...occurrence(1, 'edit'), eventId: 'e1b' });
    expect(await enrich('with a preview')).toBe(true);
    await pass(250);
    expect(ids()).toEqual(['e1', 'e1', 'e1b']);
    expect(sent[0]?.params).not.toContain('preview');
    expect(sent[2]?.params).toContain('with a preview');
    expect(await enrich('nothing waits any more')).toBe(false);
  });

  it('does not leave when what it needs was taken back while its attempt was recorded', async () => {
    const { submit, settle, ids, allow, wake } = await setUp([]);
    submit(occurrence(1));
    allow(false);
    await settle();
    expect(ids()).toEqual([]);
    allow(true);
    await wake();
    expect(ids()).toEqual(['e1']);
  });
});

describe('what an earlier process left behind', () => {
  const attempted = (wire: WireForm): StoreStep[] => [
    { kind: 'append', seq: 1, occurrence: occurrence(1) },
    { kind: 'attempt', seq: 1, wire, windowMs: 3_600_000 },
  ];
  const push: WireForm = { method: 'push/event', coalesced: true, inChannelScope: true, body: '{"eventId":"e1"}' };

  const restored = async (wire: WireForm) => {
    const store = new MemoryStore({ monotonic: () => 0 });
    await store.commit(attempted(wire));
    const set = await setUp([], {}, store);
    await set.wake();
    return set;
  };

  it.each([
    ['on the same boot in time', { bootId: 'a', now: () => 3_000_000 }, ['e1'], []],
    ['on the same boot too late', { bootId: 'a', now: () => 4_000_000 }, [], ['expired']],
    ['after a reboot', { bootId: 'b', now: () => 2 }, [], ['unbounded']],
    ['where the clock has gone back', { bootId: 'a', now: () => 0 }, [], ['unbounded']],
  ])('%s, in LMDB, is sent only while its time is certain', async (_when, clock, sent, reasons) => {
    const path = mkdtempSync(join(tmpdir(), 'outbox-'));
    const first = new LmdbStore({ path, clock: { bootId: 'a', now: () => 1 } });
    await first.commit(attempted(push));
    await first.close();
    const second = new LmdbStore({ path, clock });
    const { wake, ids, settled } = await setUp([], {}, second);
    await wake();
    await settled();
    expect(ids()).toEqual(sent);
    expect((await second.deadLetters(9)).map(({ reason }) => reason)).toEqual(reasons);
    await second.close();
    rmSync(path, { recursive: true });
  });

  it('is sent as it was sent before', async () => {
    const body = '{"eventId":"e1","as":"before"}';
    const { sent } = await restored({ method: 'push/event', coalesced: true, inChannelScope: true, body });
    expect(sent).toEqual([{ method: 'push/event', params: body }]);
  });

  it('is one when it is handed over again, and takes up what follows once', async () => {
    const store = new MemoryStore({ monotonic: () => 0 });
    await store.commit([{ kind: 'append', seq: 1, occurrence: occurrence(1) }]);
    const { add, allow, sent, ids, wake } = await setUp([], {}, store);
    allow(false);
    const again = await add(occurrence(1));
    await add({ ...occurrence(1, 'edit'), eventId: 'e1b', content: [{ type: 'text', text: 'edited' }] });
    allow(true);
    await wake();
    expect(ids()).toEqual(['e1']);
    expect(sent[0]?.params).toContain('edited');
    expect(again()).toEqual({ kind: 'delivered' });
  });

  it('is not sent again where the host could show it twice', async () => {
    const { sent, store } = await restored({
      method: 'channels/incoming',
      coalesced: false,
      inChannelScope: false,
      body: '{}',
    });
    expect(sent).toEqual([]);
    expect(await store.deadLetters(1)).toMatchObject([{ reason: 'outcome_unknown' }]);
  });
});
