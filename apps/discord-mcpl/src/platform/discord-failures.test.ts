import { REST } from 'discord.js';
import { delay, HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { discordPlatform } from './discord-platform.js';

// discord.js' own transport is undici's `request`, which MSW does not see; `fetch` it does.
const BASE = 'http://discord.test/api';
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const platform = () =>
  discordPlatform({
    rest: new REST({ api: BASE, retries: 1, timeout: 300, makeRequest: fetch as never }).setToken('secret-token'),
    history: async () => [],
    download: async () => ({ bytes: new Uint8Array(), isCut: false }),
  });
const send = (text = 'my words') => platform().send({ channelId: 'discord:1:2' }, { text, files: [], nonce: 'n1' });
const posts = (...answers: (() => Response | Promise<Response>)[]) => {
  const bodies: Record<string, unknown>[] = [];
  server.use(
    http.post(`${BASE}/v10/channels/2/messages`, async ({ request }) => {
      const form = request.headers.get('content-type')?.startsWith('application/json');
      bodies.push(form ? ((await request.json()) as Record<string, unknown>) : {});
      return (answers[bodies.length - 1] ?? answers.at(-1) ?? (() => HttpResponse.json({ id: '5' })))();
    }),
  );
  return bodies;
};
const json =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  () =>
    HttpResponse.json(body, { status, headers });
const sent = json(200, { id: '5' });

describe('Discord failing over HTTP', () => {
  it('429 of a route: waits as long as it is told and posts', async () => {
    const limited = json(
      429,
      { message: 'You are being rate limited.', retry_after: 0.05, global: false },
      { 'retry-after': '1', 'x-ratelimit-scope': 'user' },
    );
    const bodies = posts(limited, sent);
    expect(await send()).toBe('5');
    expect(bodies).toHaveLength(2);
  });

  it('429 of everything: the same', async () => {
    const limited = json(
      429,
      { message: 'You are being rate limited.', retry_after: 0.05, global: true },
      { 'retry-after': '1', 'x-ratelimit-global': 'true', 'x-ratelimit-scope': 'global' },
    );
    posts(limited, sent);
    expect(await send()).toBe('5');
  });

  it('5xx once: tries again with the same nonce, so that it posts once', async () => {
    const bodies = posts(() => new HttpResponse('upstream', { status: 502 }), sent);
    expect(await send()).toBe('5');
    expect(bodies.map(({ nonce, enforce_nonce }) => [nonce, enforce_nonce])).toEqual([
      ['n1', true],
      ['n1', true],
    ]);
  });

  it('5xx for good: says that Discord is not answering', async () => {
    posts(() => new HttpResponse('upstream', { status: 503 }));
    await expect(send()).rejects.toThrow('Discord is not answering properly (HTTP 503); try again later');
  });

  it('a body that is cut short: says so', async () => {
    posts(() => new HttpResponse('{"id":"5', { headers: { 'content-type': 'application/json' } }));
    await expect(send()).rejects.toThrow('Discord answered with something that is not JSON; try again later');
  });

  it('no answer: says that it may have acted', async () => {
    posts(async () => {
      await delay(2000);
      return HttpResponse.json({ id: '5' });
    });
    await expect(send()).rejects.toThrow('Discord did not answer in time; it may still have acted');
  });

  it('no connection: says so', async () => {
    posts(() => HttpResponse.error());
    await expect(send()).rejects.toThrow('Discord could not be reached; try again later');
  });

  it.each([
    [
      403,
      50013,
      'Missing Permissions',
      'the bot may not do that here; someone must grant it the permission (Discord 50013)',
    ],
    [404, 10003, 'Unknown Channel', 'this channel does not exist any more (Discord 10003)'],
    [400, 20016, 'slowmode', 'slow mode is on in this channel; wait before posting again (Discord 20016)'],
    [400, 99999, 'Something new', 'Discord refused: Something new (99999)'],
  ])('%i %i: explains it', async (status, code, message, sentence) => {
    posts(json(status, { code, message }));
    await expect(send()).rejects.toThrow(sentence);
  });

  it('never repeats the token or the words', async () => {
    posts(json(403, { code: 50001, message: 'Missing Access' }));
    await expect(send()).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/secret-token|my words/) }),
    );
  });

  it('pings only people, whatever the text says', async () => {
    const bodies = posts(sent);
    await send('@everyone <@&1> <@3>');
    expect(bodies[0]?.allowed_mentions).toEqual({ parse: ['users'], replied_user: true });
  });
});
