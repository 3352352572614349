import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CallRefused, CallUnknown, NotConnected } from './calls.js';
import { PortalClient, type PortalClientOptions } from './client.js';
import { readCredentials, writeCredentials } from './credentials-file.js';
import { dialNode } from './node-socket.js';
import { ScriptedRelay } from './scripted-relay.testkit.js';
import type { PortalEvent } from './wire/events.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const setUp = async (options: Partial<PortalClientOptions> = {}) => {
  const relay = await ScriptedRelay.start();
  closers.push(() => relay.close());
  const events: [PortalEvent['type'], number][] = [];
  const entered: string[] = [];
  const kept: unknown[] = [];
  const client = new PortalClient({
    url: relay.url,
    login: { kind: 'credentials', credentials: { personaId: 'p1', token: 'old' } },
    dial: dialNode,
    keep: (credentials) => kept.push(credentials),
    random: () => 0,
    on: {
      entered: (how) => entered.push(how),
      event: ({ type }, seq) => events.push([type, seq]),
    },
    ...options,
  });
  closers.push(() => client.stop());
  const heard = (op: string) => relay.heard.filter((frame) => frame.op === op);
  const hears = (op: string, times = 1) => vi.waitFor(() => expect(heard(op)).toHaveLength(times), 5000);
  const enter = async () => {
    client.start();
    await hears('identify');
    relay.welcome();
    await vi.waitFor(() => expect(client.phase.kind).toBe('ready'), 5000);
  };
  /** Answers the last call. */
  const answer = (result: object) => {
    const last = relay.heard.findLast((frame) => frame.op === 'rpc');
    relay.say({ op: 'rpc_result', d: { ...result, id: last?.d.id } });
  };
  return { relay, client, events, entered, kept, heard, hears, enter, answer };
};

const typing = (seq: number) => ({
  op: 'dispatch',
  seq,
  d: { type: 'typing', channelId: 'c', author: { kind: 'system' } },
});

describe('a client of a relay', () => {
  it('hears what happens in order, and resumes behind what was handled', async () => {
    const { relay, client, events, entered, hears, heard, enter } = await setUp();
    await enter();
    for (const seq of [1, 2, 3]) relay.say(typing(seq));
    relay.say({ op: 'dispatch', seq: 4, d: { type: 'something_newer', of: 'whatever' } });
    relay.sayText('{"op":"weather"');
    relay.say({ op: 'weather', d: {} });
    relay.say(typing(5));
    await vi.waitFor(() => expect(events).toHaveLength(4), 5000);
    expect(events).toEqual([1, 2, 3, 5].map((seq) => ['typing', seq]));
    client.handled(2);
    client.handled(1);
    expect(client.session).toEqual({ id: 's1', seq: 2 });
    relay.cut();
    await hears('resume');
    expect(heard('resume')[0]?.d).toEqual({ sessionId: 's1', seq: 2 });
    relay.say({ op: 'resumed', d: { replayedEvents: 0 } });
    await vi.waitFor(() => expect(entered).toEqual(['anew', 'resumed']), 5000);
  });

  it('asks for its subscriptions again after every return', async () => {
    const { relay, client, hears, heard, enter } = await setUp();
    client.subscribe('c1').catch(() => {});
    await enter();
    await hears('rpc');
    client.subscribe('c2').catch(() => {});
    await hears('rpc', 2);
    relay.cut();
    await hears('resume');
    relay.say({ op: 'resumed', d: {} });
    await hears('rpc', 4);
    expect(heard('rpc').map((frame) => frame.d)).toMatchObject(
      ['c1', 'c2', 'c1', 'c2'].map((channelId) => ({ method: 'subscribe_channel', params: { channelId } })),
    );
  });

  it('leaves a relay that answers no beat', async () => {
    const { relay, hears, enter } = await setUp();
    await enter();
    relay.isAnswering = false;
    await hears('resume');
    expect(relay.connections).toBe(2);
  });

  it('stops for good, and a persona that has left is away', async () => {
    const { relay, client, enter } = await setUp();
    await enter();
    await client.stop();
    await vi.waitFor(() => expect(relay.isConnected).toBe(false), 5000);
    expect(client.phase.kind).toBe('stopped');
    await expect(client.call('list_guilds', {})).rejects.toThrow(NotConnected);
  });
});

describe('a call', () => {
  it('is answered, refused, lost or late, and says which', async () => {
    const { relay, client, hears, enter, answer } = await setUp();
    await expect(client.call('list_guilds', {})).rejects.toThrow(
      new NotConnected('the relay is not there (this client was stopped)'),
    );
    await enter();
    const answered = client.call('send_message', { channelId: 'c', content: 'hello' });
    await hears('rpc');
    answer({ ok: true, result: { messageId: 'rm_c_1' } });
    expect(await answered).toEqual({ messageId: 'rm_c_1' });

    const refused = client.call('delete_message', { messageId: 'rm_c_1' });
    await hears('rpc', 2);
    answer({ ok: false, error: { code: 50035, message: 'Invalid Form Body' } });
    const error: unknown = await refused.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(CallRefused);
    expect(error).toMatchObject({ code: 50035, message: 'Invalid Form Body' });

    await expect(client.call('list_guilds', {}, 20)).rejects.toThrow(/has not answered list_guilds for 20 ms/);
    const lost = client.call('send_message', { channelId: 'c', content: 'hello?' });
    const outcome = expect(lost).rejects.toThrow(CallUnknown);
    relay.cut();
    await outcome;
  });

  it('for a new token keeps it, and comes back with it', async () => {
    const { relay, client, kept, hears, heard, enter, answer } = await setUp();
    await enter();
    const rotating = client.rotateToken();
    await hears('rpc');
    answer({ ok: true, result: { token: 'new' } });
    await rotating;
    expect(kept).toEqual([{ personaId: 'p1', token: 'new' }]);
    relay.cut();
    await hears('resume');
    relay.say({ op: 'invalid_session', d: { resumable: false, reason: 'unknown session' } });
    await hears('identify', 2);
    expect(heard('identify')[1]?.d).toMatchObject({ personaId: 'p1', token: 'new' });
  });
});

describe('credentials', () => {
  it('are written whole, for their owner only, and read again', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'portal-')), 'deep', 'ada.creds.json');
    expect(readCredentials(path)).toBeUndefined();
    writeCredentials(path, { personaId: 'p', token: 'one' });
    writeCredentials(path, { personaId: 'p', token: 'two' });
    expect(readCredentials(path)).toEqual({ personaId: 'p', token: 'two' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ personaId: 'p', token: 'two' });
    writeFileSync(path, '{"token":');
    expect(() => readCredentials(path)).toThrow(/holds no credentials: it must be JSON with personaId and token/);
  });
});
