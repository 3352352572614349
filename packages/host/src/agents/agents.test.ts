import { describe, expect, it } from 'vitest';
import { AgentLoop, type Hearing, Host, isOwnedBy, routeToAgents, type Turn } from '../index.js';
import { connect, ROOM } from '../synthetic-server.testkit.js';

const HALL = { ...ROOM, id: 'chat:hall', label: '#hall' };

const scene = async (...agents: Hearing[]) => {
  const host = new Host({ route: routeToAgents(agents) });
  const connected = await connect({ host });
  await connected.request('channels/register', { channels: [ROOM, HALL] });
  const say = (text: string, channelId: string, id: string) =>
    connected.incoming(connected.message(text, { channelId, messageId: id }));
  const reads = async (context: string) =>
    (await host.turn({ name: 'silent', respond: async () => undefined }, context)).context;
  return { ...connected, host, say, readsIn: reads };
};

describe('an agent', () => {
  it('hears the servers and channels that it listens to, and what belongs to no channel', async () => {
    const { say, push, readsIn } = await scene(
      { name: 'all' },
      { name: 'hall', channels: ['chat:h*'] },
      { name: 'deaf', sources: ['other'] },
    );
    await say('in the room', ROOM.id, '1');
    await say('in the hall', HALL.id, '2');
    await push('everywhere');
    expect(await readsIn('all')).toEqual(['in the room', 'in the hall', 'everywhere']);
    expect(await readsIn('hall')).toEqual(['in the hall', 'everywhere']);
    expect(await readsIn('deaf')).toEqual([]);
  });

  it('may keep a conversation a channel: an edit stays in the one of its message', async () => {
    const { host, incoming, message, push, say, readsIn } = await scene({ name: 'a', conversations: 'per-channel' });
    await incoming(message('one', { eventId: 'c', coalesce: { key: 'K', initial: true } }));
    await say('elsewhere', HALL.id, '2');
    expect(await readsIn(`a/${ROOM.id}`)).toEqual(['one']);
    await push('two', { coalesce: { key: 'K', channelId: ROOM.id } });
    expect(await readsIn(`a/${ROOM.id}`)).toEqual(['one', 'two']);
    expect(await readsIn(`a/${HALL.id}`)).toEqual(['elsewhere']);
    expect(host.engine.entries('a')).toEqual([]);
  });

  it('runs its own conversations and nobody else’s, each as a conversation of its own', async () => {
    const { host, say } = await scene({ name: 'a', conversations: 'per-channel' }, { name: 'ab' });
    const turns: Turn[] = [];
    const ran = new Promise<void>((resolve) => {
      const loop = new AgentLoop({
        host,
        model: { name: 'silent', respond: async () => undefined },
        wake: { rules: [], otherwise: { kind: 'immediate' } },
        owns: isOwnedBy('a'),
        onTurn: (turn) => {
          turns.push(turn);
          if (turns.length < 2) return;
          loop.stop();
          resolve();
        },
        onError: () => {},
      });
    });
    await say('in the room', ROOM.id, '1');
    await say('in the hall', HALL.id, '2');
    await ran;
    expect(turns.map(({ conversation, context }) => [conversation, ...context])).toEqual([
      [`a/${ROOM.id}`, 'in the room'],
      [`a/${HALL.id}`, 'in the hall'],
    ]);
  });
});
