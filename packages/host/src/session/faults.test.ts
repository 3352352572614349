import { describe, expect, it, vi } from 'vitest';
import { type FaultOptions, Faults } from '../index.js';
import { connect, ROOM, refusal } from '../synthetic-server.testkit.js';

const withFaults = (options: FaultOptions) => connect({ connect: { faults: new Faults(options) } });

describe('a policy', () => {
  it('that comes late grants nothing before', async () => {
    const { push, policies } = await withFaults({ policy: { lateMs: 30 } });
    expect(policies).toEqual([]);
    await expect(push('x')).rejects.toMatchObject(refusal(-32002));
    await vi.waitFor(async () => expect(await push('x')).toEqual({ accepted: true }));
  });

  it.each([
    ['absent', []],
    ['empty', [{ params: {}, isRequest: true }]],
    ['malformed', [{ params: { deniedCapabilities: ['pushEvents'] }, isRequest: true }]],
    ['notification', [{ params: { disabled: ['broken'] }, isRequest: false }]],
  ] as const)('that is %s grants nothing at all', async (policy, sent) => {
    const { push, policies } = await withFaults({ policy });
    expect(policies).toMatchObject(sent);
    await expect(push('x')).rejects.toMatchObject(refusal(-32002));
  });

  it('may shrink, which binds before it is told, and grow, which waits for the receipt', async () => {
    const { session, push, wire } = await connect();
    let held: (receipt: unknown) => void = () => {};
    wire.handle('featureSets/update', () => new Promise((resolve) => (held = resolve)));
    const shrinking = session.applyPolicy({ disabled: ['doc'] });
    await expect(push('x')).rejects.toMatchObject(refusal(-32001));
    held({ accepted: true });
    await shrinking;
    const growing = session.applyPolicy({});
    await expect(push('x')).rejects.toMatchObject(refusal(-32001));
    held({ accepted: true });
    await growing;
    expect(await push('x')).toMatchObject({ accepted: true });
  });
});

it('descriptors may all be refused', async () => {
  const { request } = await withFaults({ descriptors: 'refused' });
  const { results } = await request('channels/register', { channels: [ROOM] });
  expect(results).toEqual([{ id: ROOM.id, accepted: false, reason: 'channel_not_permitted' }]);
});

describe('an answer', () => {
  const event = { eventId: 'once', coalesce: { key: 'K', initial: true } };

  it('may be empty, and say nothing of what was decided', async () => {
    const { push, reads } = await withFaults({ answers: [{ method: 'push/event', fate: 'empty' }] });
    expect(await push('one', event)).toEqual({});
    expect(await reads()).toEqual(['one']);
  });

  it('may be lost: the occurrence is there, and its retry finds it', async () => {
    const scene = await withFaults({ answers: [{ method: 'push/event', fate: 'lost', times: 1 }] });
    void scene.push('one', event).catch(() => {});
    expect(await scene.push('one', event)).toMatchObject({ coalesce: { outcome: 'first' } });
    expect(await scene.reads()).toEqual(['one']);
  });

  it('may never come because nothing was heard', async () => {
    const scene = await withFaults({ answers: [{ method: 'push/event', fate: 'unheard', times: 1 }] });
    void scene.push('one', event).catch(() => {});
    expect(await scene.reads()).toEqual([]);
    await scene.push('one', event);
    expect(await scene.reads()).toEqual(['one']);
  });

  it('may come later than anyone waits', async () => {
    const scene = await withFaults({ answers: [{ method: 'push/event', fate: { lateMs: 40 }, times: 1 }] });
    const late = vi.fn();
    const params = { featureSet: 'doc', eventId: 'l', timestamp: '2026-01-01T00:00:00Z', payload: { content: 'x' } };
    const request = scene.wire.request('push/event', params, { timeoutMs: 10, onResult: late });
    await expect(request).rejects.toMatchObject({ cause: { kind: 'timeout' } });
    await vi.waitFor(() => expect(late).toHaveBeenCalledWith({ accepted: true }, true));
  });

  it('may be the end of the connection; the occurrence is there at the next one', async () => {
    const first = await withFaults({ answers: [{ method: 'push/event', fate: 'disconnect' }] });
    await expect(first.push('one', event)).rejects.toMatchObject({ cause: { kind: 'disconnected' } });
    const second = await connect({ host: first.host });
    expect(await second.push('one', event)).toMatchObject({ coalesce: { outcome: 'first' } });
    expect(await second.reads()).toEqual(['one']);
  });

  it('is lost as often as was said, over all connections of its server', async () => {
    const faults = new Faults({ answers: [{ method: 'push/event', fate: 'disconnect', times: 1 }] });
    const first = await connect({ connect: { faults } });
    await expect(first.push('one', event)).rejects.toMatchObject({ cause: { kind: 'disconnected' } });
    const second = await connect({ host: first.host, connect: { faults } });
    expect(await second.push('one', event)).toMatchObject({ coalesce: { outcome: 'first' } });
  });
});

it('a host may have given up waiting for a render that was made', async () => {
  const scene = await withFaults({ renders: 'given-up' });
  scene.renders.answer = () => ({ content: [{ type: 'text', text: 'rendered' }] });
  await scene.notice('fallback');
  expect(await scene.reads()).toEqual(['fallback']);
  expect(scene.renders.asked).toHaveLength(1);
});
