import { describe, expect, it } from 'vitest';
import { PROFILES, STRICT_LEAVES } from './index.js';
import { connect, inRoom, ROOM, refusal } from './synthetic-server.testkit.js';

describe('admission', () => {
  it('tells the server its grant, and which sets it disables', async () => {
    const { policy } = await connect();
    expect(policy()).toMatchObject({
      effectiveCapabilities: [
        'pushEvents',
        'tools',
        'channels.register',
        'channels.lifecycle',
        'channels.publish',
        'channels.incoming',
        'channels.streaming',
        'channels.acknowledge',
        'channels.typing',
      ],
      disabled: ['broken'],
    });
  });

  it('refuses what is not granted, not enabled, not known, in that order', async () => {
    const denied = await connect({ policy: { capabilities: ['channels.*'] } });
    await expect(denied.push('x', { featureSet: 'nonsense' })).rejects.toMatchObject(
      refusal(-32002, { capability: 'pushEvents' }),
    );
    const open = await connect();
    await expect(open.push('x', { featureSet: 'nonsense', timestamp: 'bad' })).rejects.toMatchObject(refusal(-32003));
    await expect(open.push('x', { featureSet: 'broken', timestamp: 'bad' })).rejects.toMatchObject(refusal(-32001));
    await expect(open.push('x', { timestamp: 'bad', ...inRoom() })).rejects.toMatchObject(refusal(-32023));
    await expect(open.push('x', { timestamp: 'bad' })).rejects.toMatchObject(
      refusal(-32602, { field: 'timestamp', reason: expect.any(String) }),
    );
    expect(await open.reads()).toEqual([]);
  });

  it('accepts nothing from a server that refuses its policy', async () => {
    const { push, request } = await connect({ receipt: { accepted: false, fallback: 'mcp-only', reason: 'no' } });
    await expect(push('x')).rejects.toMatchObject(refusal(-32002));
    await expect(request('channels/register', { channels: [ROOM] })).rejects.toMatchObject(refusal(-32002));
  });

  it('registers channels one by one', async () => {
    const { request } = await connect({ policy: { channels: ['chat:r*'] } });
    const { results } = await request('channels/register', {
      channels: [ROOM, { ...ROOM, id: 'chat:secret' }, { id: 'chat:rough' }],
    });
    expect(results).toEqual([
      { id: ROOM.id, accepted: true },
      { id: 'chat:secret', accepted: false, reason: 'channel_not_permitted' },
      { id: 'chat:rough', accepted: false, reason: expect.stringContaining('type') },
    ]);
  });

  it('13: lets a narrowed channel neither replace nor retract', async () => {
    const { request, push, session, reads } = await connect();
    await request('channels/register', { channels: [ROOM] });
    await push('pending', inRoom('K', { initial: true }));
    await session.applyPolicy({ channels: ['chat:other'] });
    await expect(push('edit', inRoom())).rejects.toMatchObject(refusal(-32017));
    await expect(push('[gone]', inRoom('K', { retract: true }))).rejects.toMatchObject(refusal(-32017));
    expect(await reads()).toEqual(['pending']);
  });

  it('14: never takes a scope from origin', async () => {
    const { request, push, reads } = await connect();
    await request('channels/register', { channels: [ROOM] });
    await push('in the room', inRoom('K', { initial: true }));
    expect(
      await push('in the set', { coalesce: { key: 'K', initial: true }, origin: { channelId: ROOM.id } }),
    ).toMatchObject({ coalesce: { outcome: 'first' } });
    expect(await reads()).toEqual(['in the room', 'in the set']);
  });

  it('15: refuses a channel scope it does not offer', async () => {
    const profile = { ...PROFILES.strict, coalescing: { ...STRICT_LEAVES, channelScopedPush: false } };
    const { request, push, reads } = await connect({ options: { profile } });
    await request('channels/register', { channels: [ROOM] });
    await expect(push('x', inRoom())).rejects.toMatchObject(
      refusal(-32602, { field: 'coalesce.channelId', reason: expect.any(String) }),
    );
    expect(await reads()).toEqual([]);
  });

  it('15a, 38: judges messages of a batch one by one', async () => {
    const { request, incoming, message, push, reads } = await connect();
    await request('channels/register', { channels: [ROOM] });
    const results = await incoming(
      message('one', { eventId: 'a', coalesce: { key: 'K', initial: true } }),
      message('two', { eventId: 'b', coalesce: { key: 'L', deferred: true } }),
      message('three', { eventId: '', coalesce: { key: 'K' } }),
      message('four', { messageId: 'm4', channelId: 'chat:nowhere' }),
      { messageId: 'm5' },
      message('six', { messageId: 'm6' }),
    );
    expect(results.map(({ accepted, reason }) => reason ?? accepted)).toEqual([
      true,
      'coalesce_invalid',
      'coalesce_invalid',
      'unknown_channel',
      'message_invalid',
      true,
    ]);
    await expect(push('x', { coalesce: { key: 'k'.repeat(257) } })).rejects.toMatchObject(refusal(-32602));
    expect(await reads()).toEqual(['one', 'six']);
  });

  it('ignores coalesce on a host that does not offer it', async () => {
    const { push, reads } = await connect({ options: { profile: PROFILES['append-only'] } });
    expect(await push('one', { coalesce: { key: 'K' } })).toEqual({ accepted: true });
    await push('two', { coalesce: { key: 'K' } });
    expect(await reads()).toEqual(['one', 'two']);
  });

  it('refuses a server that answers another protocol version', async () => {
    await expect(connect({ protocolVersion: '2025-06-18' })).rejects.toThrow('2025-06-18');
  });

  it('answers what it does not do with an error, never with silence', async () => {
    const { request } = await connect();
    await expect(request('inference/request', { featureSet: 'doc', messages: [] })).rejects.toMatchObject(
      refusal(-32601),
    );
    await expect(request('model/info', {})).rejects.toMatchObject(refusal(-32601));
  });
});

it('channels are opened by id or address, closed and listed', async () => {
  const { session, request, wire } = await connect();
  await request('channels/register', { channels: [ROOM] });
  const asked: unknown[] = [];
  wire.handle('channels/open', (params) => {
    asked.push(params);
    return { channel: ROOM };
  });
  wire.handle('channels/close', () => ({ closed: true }));
  wire.handle('channels/list', () => ({ channels: [ROOM] }));
  const address = { guild: 'acme', channel: 'room' };
  const opened = await Promise.all([session.openChannel(ROOM.id), session.openChannel(ROOM.id)]);
  expect(await session.openChannel({ type: 'chat', address })).toBe(ROOM.id);
  expect([...opened, session.channels.isOpen(ROOM.id)]).toEqual([ROOM.id, ROOM.id, true]);
  expect(asked).toEqual([{ channelId: ROOM.id }, { type: 'chat', address }]);
  await session.closeChannel(ROOM.id);
  expect(session.channels.isOpen(ROOM.id)).toBe(false);
  expect(await session.listChannels()).toMatchObject([{ id: ROOM.id }]);
});

describe('one subject over both lanes', () => {
  it('10: is created by a message, edited and deleted by pushes', async () => {
    const { request, incoming, message, push, reads } = await connect();
    await request('channels/register', { channels: [ROOM] });
    await incoming(message('one', { eventId: 'c', coalesce: { key: 'K', initial: true } }));
    expect(await push('two', inRoom())).toMatchObject({ coalesce: { outcome: 'replaced', priorEventId: 'c' } });
    expect(await push('[gone]', inRoom('K', { retract: true }))).toMatchObject({ coalesce: { outcome: 'retracted' } });
    expect(await reads()).toEqual([]);
  });

  it('45: keeps the message the reply target, whoever edits it', async () => {
    const { host, request, incoming, message, push, reads } = await connect();
    await request('channels/register', { channels: [ROOM] });
    await incoming(message('one', { eventId: 'c', coalesce: { key: 'K', initial: true } }));
    await push('two', inRoom());
    expect(host.engine.unread('main')[0]?.message).toMatchObject({ channelId: ROOM.id, messageId: 'm1' });
    await reads();
    await push('three', inRoom());
    await push('elsewhere', { ...inRoom('L'), origin: { mcplChannelId: 'chat:other', messageId: 'm2' } });
    expect(host.engine.unread('main').map((entry) => entry.message?.messageId)).toEqual(['m1', undefined]);
  });

  it('8: takes the same message with a new occurrence for an edit, and a repeated one for a retry', async () => {
    const { request, incoming, message, reads } = await connect();
    await request('channels/register', { channels: [ROOM] });
    const first = await incoming(message('one', { eventId: 'a', coalesce: { key: 'K', initial: true } }));
    const edit = await incoming(message('two', { eventId: 'b', coalesce: { key: 'K' } }));
    const again = await incoming(message('one', { eventId: 'a', coalesce: { key: 'K', initial: true } }));
    expect(edit).toMatchObject([{ coalesce: { outcome: 'replaced' } }]);
    expect(again).toEqual(first);
    expect(await reads()).toEqual(['two']);
  });
});

describe('retries', () => {
  it('35, 39: have one effect and the original answer, over a reconnect as well', async () => {
    const first = await connect();
    const event = { eventId: 'once', coalesce: { key: 'K', initial: true } };
    const original = await first.push('one', event);
    await first.session.close();
    const second = await connect({ host: first.host });
    expect(await second.push('one', event)).toEqual(original);
    expect(await second.reads()).toEqual(['one']);
  });

  it('42: another endpoint behind the same label is somebody else', async () => {
    const first = await connect();
    await first.push('one', { eventId: 'x', coalesce: { key: 'K', initial: true } });
    const other = await connect({ host: first.host, connect: { endpoint: 'elsewhere:' } });
    expect(await other.push('two', { eventId: 'x', coalesce: { key: 'K', initial: true } })).toMatchObject({
      coalesce: { outcome: 'first' },
    });
    expect(await other.reads()).toEqual(['one', 'two']);
  });

  it('48: are recognised for the window that was advertised, and no longer', async () => {
    let now = 0;
    const profile = { ...PROFILES.strict, coalescing: { ...STRICT_LEAVES, retryWindowMs: 7_200_000 } };
    const { push, reads } = await connect({ options: { clock: { now: () => now }, profile } });
    const event = { eventId: 'x', coalesce: { key: 'K', initial: true } };
    await push('one', event);
    now = 5_400_000;
    await push('one', event);
    expect(await reads()).toEqual(['one']);
    now = 7_200_001;
    expect(await push('one', event)).toMatchObject({ coalesce: { outcome: 'appended' } });
  });
});
