import { fileURLToPath } from 'node:url';
import { dialWebSocket, McplWire } from '@mcpl-bridges/transport';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Host, type LinkState, listenForServer, type RestartPolicy, reachBySpawning, ServerLink } from '../index.js';
import { mayRestart, pauseMs, wasHealthy } from './restart.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe('a restart policy', () => {
  const endings = [
    { how: 'unreached', why: '' },
    { how: 'failed', why: '' },
    { how: 'finished', why: '' },
  ] as const;

  it.each([
    ['always', true, true, true, true],
    ['on-failure', false, true, true, false],
    ['never', false, false, false, false],
  ] as const)('%s', (when, neverReached, lost, failed, finished) => {
    expect(mayRestart({ when }, endings[0], false)).toBe(neverReached);
    expect(mayRestart({ when }, endings[0], true)).toBe(lost);
    expect(mayRestart({ when }, endings[1], true)).toBe(failed);
    expect(mayRestart({ when }, endings[2], true)).toBe(finished);
  });

  it('pauses up to twice as long each time, to a limit, and anew after a long connection', () => {
    const policy = { when: 'always', firstMs: 100, maxMs: 1000 } as const;
    expect([1, 2, 3, 4, 5, 6].map((attempt) => pauseMs(policy, attempt, 1))).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(pauseMs(policy, 3, 0.5)).toBe(200);
    expect([wasHealthy(policy, 999), wasHealthy(policy, 1000)]).toEqual([false, true]);
  });
});

/** A child that is an MCP server until it is told to end, or not even that. */
const SERVER = fileURLToPath(new URL('../../../../test/helpers/mortal-server.mjs', import.meta.url));

const keep = (args: readonly string[], restart: RestartPolicy) => {
  const host = new Host();
  const states: LinkState[] = [];
  const link = new ServerLink({
    reach: reachBySpawning({ command: process.execPath, args: [SERVER, ...args] }, () => {}),
    connect: (transport) => host.connect(transport, { serverId: 'mortal', endpoint: 'mortal' }),
    restart,
    onState: (state) => states.push(state),
    random: () => 0,
  });
  closers.push(() => link.stop());
  const kinds = () => states.map(({ kind }) => kind);
  return { host, link, states, kinds };
};

describe('a server that is spawned', () => {
  it('is started again after a crash, and not after it was stopped', async () => {
    const { host, link, kinds } = keep(['crash'], { when: 'on-failure' });
    await vi.waitFor(
      () => expect(kinds().slice(0, 5)).toEqual(['connected', 'paused', 'connected', 'paused', 'connected']),
      10_000,
    );
    await link.stop();
    expect(kinds().at(-1)).toBe('ended');
    await host.close();
  });

  it('is let go when it has finished', async () => {
    const { link, kinds, states } = keep(['finish'], { when: 'on-failure' });
    await link.ended;
    expect(kinds()).toEqual(['connected', 'ended']);
    expect(states.at(-1)).toMatchObject({ why: 'it exited' });
  });

  it('is stopped and started again when only its connection is lost', async () => {
    const { link, states, kinds } = keep(['live'], { when: 'on-failure' });
    await vi.waitFor(() => expect(kinds()).toEqual(['connected']), 5000);
    const [first] = states;
    if (first?.kind !== 'connected') throw new Error('not connected');
    await first.session.close();
    await vi.waitFor(() => expect(kinds()).toEqual(['connected', 'paused', 'connected']), 10_000);
    expect(states[1]).toMatchObject({ why: 'the connection closed' });
    await link.stop();
  });

  it('that never answers is not tried again on failure', async () => {
    const { link, kinds } = keep(['nonsense'], { when: 'on-failure' });
    await link.ended;
    expect(kinds()).toEqual(['ended']);
  });
});

it('a server that dials in, and dials in again, is the same server', async () => {
  const host = new Host();
  const states: LinkState[] = [];
  const listener = await listenForServer({
    host: '127.0.0.1',
    port: 0,
    token: 'secret',
    connect: (transport) => host.connect(transport, { serverId: 'roaming', endpoint: 'listen' }),
    onState: (state) => states.push(state),
  });
  closers.push(() => listener.stop());
  const dial = async (text: string) => {
    const wire = new McplWire(await dialWebSocket(`ws://127.0.0.1:${listener.port}`, { token: 'secret' }));
    const ready = new Promise<void>((resolve) =>
      wire.handle('featureSets/update', () => {
        setImmediate(resolve);
        return { accepted: true };
      }),
    );
    const mcpl = { version: '0.5', pushEvents: true, featureSets: { doc: { description: '', uses: ['pushEvents'] } } };
    await new Server({ name: 's', version: '1' }, { capabilities: { experimental: { mcpl } } }).connect(wire);
    await ready;
    return wire.request(
      'push/event',
      {
        featureSet: 'doc',
        eventId: text,
        timestamp: '2026-01-01T00:00:00Z',
        payload: { content: text },
        coalesce: { key: 'K', initial: true },
      },
      { timeoutMs: 2000 },
    );
  };
  expect(await dial('one')).toMatchObject({ coalesce: { outcome: 'first' } });
  expect(await dial('two')).toMatchObject({ coalesce: { outcome: 'replaced', priorEventId: 'one' } });
  await expect(dialWebSocket(`ws://127.0.0.1:${listener.port}`, { token: 'guess' })).rejects.toThrow('401');
  expect(states.map(({ kind }) => kind)).toEqual(['connected', 'connected']);
});
