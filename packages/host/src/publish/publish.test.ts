import { describe, expect, it } from 'vitest';
import type { Model } from '../index.js';
import { connect, ROOM } from '../synthetic-server.testkit.js';

const EXACT = { ...ROOM, capabilities: { publish: { target: 'exact' } } };
const ROOT = { ...ROOM, capabilities: { publish: { target: 'root' } } };

/** A server with one channel, which keeps what it is asked to post and answers as told. */
const open = async (channel: unknown, answer: (params: Record<string, unknown>) => unknown = () => ({})) => {
  const scene = await connect();
  const posts: { params: Record<string, unknown>; isRequest: boolean }[] = [];
  const shown: { method: string; params: Record<string, unknown> }[] = [];
  scene.wire.handle('channels/publish', (params, { isRequest }) => {
    posts.push({ params, isRequest });
    return answer(params);
  });
  for (const method of ['channels/typing', 'channels/outgoing/chunk', 'channels/outgoing/complete'])
    scene.wire.handle(method, (params) => void shown.push({ method, params }));
  await scene.request('channels/register', { channels: [channel] });
  return { ...scene, posts, shown };
};

const echoing = ({ threadId }: Record<string, unknown>) => ({ delivered: true, messageId: 'p1', threadId });

describe('a targeted post', () => {
  it('is delivered where its echo says that it was', async () => {
    const { host, posts } = await open(EXACT, echoing);
    expect(await host.publish(ROOM.id, 'a', { threadId: 't1' })).toEqual({
      kind: 'delivered',
      messageId: 'p1',
      threadId: 't1',
    });
    expect(await host.publish(ROOM.id, 'b', { threadId: null })).toMatchObject({ kind: 'delivered', threadId: null });
    expect(await host.publish(ROOM.id, 'c')).toMatchObject({ kind: 'delivered' });
    expect(posts.map(({ params }) => params.threadId)).toEqual(['t1', null, undefined]);
  });

  it.each([
    ['is unconfirmed without an echo', { delivered: true, messageId: 'p1' }, 'unconfirmed'],
    ['is unconfirmed with another echo', { delivered: true, threadId: 't2' }, 'unconfirmed'],
    ['is unconfirmed when it is refused and has an id', { delivered: false, messageId: 'p1' }, 'unconfirmed'],
    ['is unconfirmed when its answer cannot be read', { done: 1 }, 'unconfirmed'],
    ['is refused when nothing was posted', { delivered: false, reason: 'archived' }, 'refused'],
  ])('%s', async (_what, answer, kind) => {
    const { host } = await open(EXACT, () => answer);
    expect(await host.publish(ROOM.id, 'a', { threadId: 't1' })).toMatchObject({ kind });
  });

  it('is unconfirmed after an error, and when the connection is lost', async () => {
    const failing = await open(EXACT, () => {
      throw new Error('half of it was posted');
    });
    expect(await failing.host.publish(ROOM.id, 'a', { threadId: 't1' })).toMatchObject({ kind: 'unconfirmed' });
    const lost = await open(EXACT, () => lost.session.close().then(() => new Promise(() => {})));
    expect(await lost.host.publish(ROOM.id, 'a', { threadId: 't1' })).toMatchObject({ kind: 'unconfirmed' });
  });

  it('is never sent where the channel does not say where it posts, or has no threads', async () => {
    const undeclared = await open(ROOM, echoing);
    expect(await undeclared.host.publish(ROOM.id, 'a', { threadId: null })).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('does not declare where it posts'),
    });
    const root = await open(ROOT, echoing);
    expect(await root.host.publish(ROOM.id, 'a', { threadId: 't1' })).toMatchObject({ kind: 'refused' });
    expect([...undeclared.posts, ...root.posts]).toEqual([]);
  });

  it('is always a Request; without a target it may be a Notification', async () => {
    const { host, posts } = await open(EXACT, echoing);
    expect(await host.publish(ROOM.id, 'a', { threadId: 't1', as: 'notification' })).toMatchObject({ kind: 'refused' });
    expect(await host.publish(ROOM.id, 'b', { as: 'notification' })).toEqual({ kind: 'sent' });
    expect(await host.publish(ROOM.id, 'c')).toMatchObject({ kind: 'delivered' });
    expect(posts.map(({ isRequest }) => isRequest)).toEqual([false, true]);
  });
});

it('nothing is sent to a channel that is unknown, not permitted, or without the grant', async () => {
  const { host, session, posts, shown } = await open(EXACT, echoing);
  expect(await host.publish('chat:nowhere', 'a')).toMatchObject({ kind: 'refused' });
  await session.applyPolicy({ channels: ['chat:other'] });
  expect(await host.publish(ROOM.id, 'a')).toEqual({ kind: 'refused', reason: `${ROOM.id} is not permitted` });
  await session.applyPolicy({ capabilities: ['pushEvents', 'channels.register'] });
  expect(await host.publish(ROOM.id, 'a')).toEqual({ kind: 'refused', reason: 'channels.publish is not granted' });
  session.outgoing.typing(ROOM.id, 'start');
  expect(await session.outgoing.acknowledge(ROOM.id, 'm1')).toMatchObject({ acknowledged: false });
  expect([...posts, ...shown]).toEqual([]);
});

describe('an answer', () => {
  const answering = (reply: string, ...deltas: string[]): Model => ({
    name: 'm',
    respond: async (_request, say) => {
      for (const delta of deltas) say?.(delta);
      return { text: reply };
    },
  });

  it('goes into the thread of what it answers, whatever came later by which lane', async () => {
    const { host, incoming, message, push, posts } = await open(EXACT, echoing);
    await incoming(message('in a thread', { threadId: 't1', eventId: 'e', coalesce: { key: 'K', initial: true } }));
    await push('edited', { coalesce: { key: 'K', channelId: ROOM.id } });
    expect((await host.turn(answering('ok'))).published).toMatchObject({ kind: 'delivered', threadId: 't1' });
    await incoming(message('at the root', { messageId: 'm2' }));
    await host.turn(answering('ok'));
    expect(posts.map(({ params }) => params.threadId)).toEqual(['t1', null]);
  });

  it('is shown while it is written, in the place where it will be, and ended', async () => {
    const { host, incoming, message, shown } = await open(EXACT, echoing);
    await incoming(message('hello', { threadId: 't1' }));
    await host.turn(answering('Hi there', 'Hi ', 'there'));
    const chunks = shown.filter(({ method }) => method === 'channels/outgoing/chunk').map(({ params }) => params);
    expect(chunks).toMatchObject([
      { channelId: ROOM.id, threadId: 't1', index: 0, delta: 'Hi ', conversationId: 'main' },
      { channelId: ROOM.id, threadId: 't1', index: 1, delta: 'there' },
    ]);
    expect(shown.map(({ method, params }) => params.op ?? method)).toEqual([
      'start',
      'channels/outgoing/chunk',
      'channels/outgoing/chunk',
      'channels/outgoing/complete',
      'stop',
    ]);
    expect(shown.at(-2)?.params).toMatchObject({
      inferenceId: chunks[0]?.inferenceId,
      threadId: 't1',
      content: [{ type: 'text', text: 'Hi there' }],
    });
  });

  it('that fails half-way is ended all the same', async () => {
    const { host, incoming, message, shown } = await open(EXACT, echoing);
    await incoming(message('hello'));
    const failing: Model = {
      name: 'm',
      respond: async (_request, say) => {
        say?.('Hal');
        throw new Error('out of memory');
      },
    };
    await expect(host.turn(failing)).rejects.toThrow('out of memory');
    await host.publish(ROOM.id, 'later');
    expect(shown.slice(-2).map(({ method, params }) => params.op ?? method)).toEqual([
      'channels/outgoing/complete',
      'stop',
    ]);
  });

  it('is withheld where nobody knows where it will go', async () => {
    const { host, push, shown } = await open(EXACT, echoing);
    await push('no channel');
    await host.turn(answering('to whom?', 'to whom?'));
    expect(shown).toEqual([]);
  });
});

it('what a subagent reads is read, and what it says is not published', async () => {
  const { host, push, posts } = await open(EXACT, echoing);
  await push('one', { coalesce: { key: 'K', initial: true } });
  const said = await host.consult({
    name: 'sub',
    respond: async ({ messages }) => ({ text: messages[0]?.text ?? '' }),
  });
  expect(said).toEqual({ text: 'one' });
  expect(await push('two', { coalesce: { key: 'K' } })).toMatchObject({ coalesce: { outcome: 'appended' } });
  expect(posts).toEqual([]);
});
