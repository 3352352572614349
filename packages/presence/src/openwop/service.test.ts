import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HandClock, Room, SCOPE } from '../room.testkit.js';
import { openService, presenceOf } from './client.testkit.js';
import { channelPresencePayload } from './schemas.js';

const general = 'discord:1:2';

const openHouse = async (options: Parameters<typeof openService>[0] = {}) => {
  const house = await openService(options);
  house.room.open(general, 'agent', 'alice', 'bob').open('discord:1:3', 'agent', 'bob');
  house.room.online('agent', 'alice', 'mallory');
  return house;
};

describe('a channel that is watched', () => {
  it('is shown at once, and again when it is another', async () => {
    const { room, stream } = await openHouse();
    const reader = await stream(presenceOf(general), 'alice');
    expect(reader.response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(await reader.frame(0)).toEqual({
      event: 'channel.presence',
      data: { conversationId: general, present: ['agent:agent', 'user:alice'], typing: [] },
    });
    room.tell({ kind: 'typing', channelId: general, userId: 'bob' });
    const { data } = await reader.frame(1);
    expect(data).toEqual({
      conversationId: general,
      present: ['agent:agent', 'user:alice', 'user:bob'],
      typing: ['user:bob'],
    });
    expect(channelPresencePayload.safeParse(data).success).toBe(true);
  });

  it('is not shown twice as it was', async () => {
    const clock = new HandClock();
    const { room, stream } = await openHouse({ room: new Room({ debounceMs: 1, time: clock }) });
    const reader = await stream(presenceOf(general), 'alice');
    await reader.frame(0);
    room.tell({ kind: 'status', scope: SCOPE, userId: 'alice', status: 'idle' });
    room.tell({ kind: 'status', scope: SCOPE, userId: 'mallory', status: 'idle' });
    clock.pass(1);
    room.tell({ kind: 'status', scope: SCOPE, userId: 'bob', status: 'online' });
    clock.pass(1);
    expect((await reader.frame(1)).data).toMatchObject({ present: ['agent:agent', 'user:alice', 'user:bob'] });
  });

  it('does not have who merely watches in it', async () => {
    const { stream } = await openHouse();
    const reader = await stream(presenceOf(general), 'bob');
    expect((await reader.frame(0)).data).toMatchObject({ present: ['agent:agent', 'user:alice'] });
  });

  it('is shown no more to who was removed from it, from that moment on', async () => {
    const { room, stream } = await openHouse();
    const reader = await stream(presenceOf(general), 'alice');
    await reader.frame(0);
    room.tell({ kind: 'status', scope: SCOPE, userId: 'bob', status: 'online' });
    room.remove(general, 'alice');
    await reader.end();
    expect(reader.frames).toHaveLength(1);
  });

  it('is shown no more by a token that is taken back', async () => {
    const { service, tokens, stream } = await openHouse();
    const reader = await stream(presenceOf(general), 'alice');
    await reader.frame(0);
    tokens.clear();
    service.look();
    await reader.end();
  });

  it('is waited for before the platform is there, by strangers, too', async () => {
    let emits = false;
    const { room, stream, service } = await openHouse({ emits: () => emits });
    const [member, stranger, nowhere] = await Promise.all([
      stream(presenceOf('later'), 'alice'),
      stream(presenceOf('later'), 'mallory'),
      stream(presenceOf('never'), 'alice'),
    ]);
    expect([member, stranger, nowhere].map(({ response }) => response.status)).toEqual([200, 200, 200]);
    room.open('later', 'agent', 'alice');
    emits = true;
    service.look();
    expect((await member.frame(0)).data).toMatchObject({ present: ['agent:agent', 'user:alice'] });
    await Promise.all([stranger.end(), nowhere.end()]);
    expect([stranger.frames, nowhere.frames]).toEqual([[], []]);
  });

  it('keeps a silent connection alive', async () => {
    const clock = new HandClock();
    const { stream } = await openHouse({ time: clock, room: new Room({ debounceMs: 0, time: clock }) });
    const reader = await stream(presenceOf(general), 'alice');
    await reader.frame(0);
    clock.pass(30_000);
    expect(await reader.frame(1)).toEqual({ comment: 'here' });
  });
});

describe('a reader who takes his time', () => {
  const crowd = Array.from({ length: 400 }, (_, n) => `a-user-with-a-long-name-${n}`);
  const SNAPSHOTS = 3000;

  /** Reads the beginning, and nothing of what comes then. */
  const openSlowly = async () => {
    const clock = new HandClock();
    const { room, service } = await openService({ room: new Room({ debounceMs: 1, time: clock }) });
    room.open('big', 'agent', 'alice', 'bob', ...crowd);
    room.online('agent', ...crowd);
    const socket = connect(service.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.write(`GET ${presenceOf('big')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice-token\r\n\r\n`);
    await once(socket, 'data');
    socket.pause();
    const types = (userId: string): void => {
      room.tell({ kind: 'typing', channelId: 'big', userId });
      clock.pass(1);
    };
    for (let n = 0; n < SNAPSHOTS; n++) {
      room.tell({ kind: n % 2 ? 'spoke' : 'typing', channelId: 'big', userId: crowd[n % 400] ?? '' });
      clock.pass(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const read = { text: '', ended: false };
    socket.on('data', (chunk) => {
      read.text += chunk.toString('utf8');
    });
    socket.on('close', () => {
      read.ended = true;
    });
    return { room, socket, types, read };
  };

  it('gets the latest, and not all that it missed', async () => {
    const { socket, types, read } = await openSlowly();
    types('bob');
    socket.resume();
    await vi.waitFor(() => expect(read.text.includes('"user:bob"]}')).toBe(true), { timeout: 10_000 });
    // What the sockets on the way hold had been written already.
    expect(read.text.split('event: channel.presence').length).toBeLessThan(SNAPSHOTS / 2);
  });

  it('gets nothing of what waited for it, when it has lost the right to it', async () => {
    const { room, socket, types, read } = await openSlowly();
    types('bob');
    room.remove('big', 'alice');
    socket.resume();
    await vi.waitFor(() => expect(read.ended).toBe(true), { timeout: 10_000 });
    expect(read.text.includes('user:bob')).toBe(false);
    expect(read.text.endsWith('0\r\n\r\n')).toBe(false);
  });
});

describe('who is refused', () => {
  it('is who has no token, or none that is known', async () => {
    const { call } = await openHouse();
    for (const user of [undefined, 'nobody']) {
      const answer = await call(presenceOf(general), user);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(await answer.json()).toEqual({ error: 'unauthenticated', message: expect.any(String) });
    }
  });

  it('is a stranger, who learns nothing of which channels there are', async () => {
    const { call } = await openHouse();
    const answers = await Promise.all(
      [presenceOf(general), presenceOf('discord:9:9'), `/v1/runs/${general}/events`, '/v1/runs/none/events'].map(
        async (path) => {
          const answer = await call(path, 'mallory');
          return [answer.status, await answer.text(), answer.headers.get('content-length')];
        },
      ),
    );
    expect(answers[0]?.[0]).toBe(403);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it('is who has twenty streams open already, until one is closed', async () => {
    const { stream, call } = await openHouse({ streamsPerToken: 2 });
    const readers = [await stream(presenceOf(general), 'alice'), await stream(presenceOf(general), 'alice')];
    await Promise.all(readers.map((reader) => reader.frame(0)));
    const refused = await call(presenceOf(general), 'alice');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: 'rate_limited' });
    expect((await stream(presenceOf(general), 'bob')).response.status).toBe(200);
    readers[0]?.close();
    await vi.waitFor(async () => expect((await stream(presenceOf(general), 'alice')).response.status).toBe(200));
  });

  it('is who causes test events without end', async () => {
    const { post } = await openHouse();
    const answers: Response[] = [];
    for (let n = 0; n < 61; n++) answers.push(await post('/host/events/test', 'alice', { delivery: 'ephemeral' }));
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 60 }, () => 202), 429]);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post('/host/events/test', 'bob', { delivery: 'ephemeral' })).status).toBe(202);
  });

  it('holds no stream by asking only for its head', async () => {
    const { call } = await openHouse({ streamsPerToken: 1 });
    for (let n = 0; n < 3; n++) expect((await call(presenceOf(general), 'alice', { method: 'HEAD' })).status).toBe(200);
  });

  it('is told in the one closed shape, whatever is wrong', async () => {
    const { call, post } = await openHouse();
    for (const answer of [
      await call('/nothing', 'alice'),
      await call('/v1/nothing', 'alice'),
      await call(`/v1/runs/${general}/events?streamMode=values`, 'alice'),
      await post('/host/events/test', 'alice', []),
    ]) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      const { error, message, details = {}, ...rest } = (await answer.json()) as Record<string, unknown>;
      expect([typeof error, typeof message, typeof details, rest]).toEqual(['string', 'string', 'object', {}]);
    }
  });
});

describe("a browser's session", () => {
  it('is begun with the token, and known by its cookie', async () => {
    const { call, tokens, service, base } = await openHouse();
    const begun = await call('/v1/host/mcpl-bridges/session', 'alice', { method: 'POST' });
    expect(begun.status).toBe(204);
    const cookie = begun.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie).not.toContain('alice');
    const headers = { Cookie: cookie.split(';')[0] ?? '' };
    const shown = await fetch(base + presenceOf(general), { headers });
    expect(shown.status).toBe(200);
    await shown.body?.cancel();
    tokens.clear();
    service.look();
    expect((await fetch(base + presenceOf(general), { headers })).status).toBe(401);
  });

  it('is not begun without a token', async () => {
    const { call } = await openHouse();
    expect((await call('/v1/host/mcpl-bridges/session', undefined, { method: 'POST' })).status).toBe(401);
  });
});
