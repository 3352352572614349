import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { dialWebSocket, listenWebSocket, type WebSocketTransport } from './index.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const listen = async (token?: string) => {
  const received: unknown[] = [];
  const accepted: WebSocketTransport[] = [];
  const listener = await listenWebSocket({
    host: '127.0.0.1',
    port: 0,
    ...(token === undefined ? {} : { token }),
    onConnection: (transport) => {
      transport.onmessage = (message) => received.push(message);
      accepted.push(transport);
      void transport.start();
    },
  });
  closers.push(() => listener.close());
  return { url: `ws://127.0.0.1:${listener.port}/mcpl`, received, accepted };
};

const ping = { jsonrpc: '2.0' as const, id: 1, method: 'ping' };

describe('WebSocket', () => {
  it('lets in who brings the token, in a header or in the address', async () => {
    const { url, received } = await listen('secret');
    const byHeader = await dialWebSocket(url, { token: 'secret' });
    const byQuery = await dialWebSocket(`${url}?token=secret`);
    await byHeader.send(ping);
    await byQuery.send(ping);
    await vi.waitFor(() => expect(received).toEqual([ping, ping]));
  });

  it.each([
    ['no token', ''],
    ['a wrong one', '?token=guess'],
  ])('turns away who brings %s', async (_what, query) => {
    const { url, accepted } = await listen('secret');
    await expect(dialWebSocket(url + query)).rejects.toThrow('401');
    expect(accepted).toEqual([]);
  });

  it('turns away web pages where there is no token, and lets them in who have it', async () => {
    const open = (url: string) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(url, { origin: 'https://elsewhere.example' });
        closers.push(async () => socket.terminate());
        socket.once('open', () => resolve('open'));
        socket.once('error', ({ message }) => resolve(message));
      });
    expect(await open((await listen()).url)).toContain('403');
    expect(await open(`${(await listen('secret')).url}?token=secret`)).toBe('open');
  });

  it('is spoken over TLS, to whom the certificate is trusted only', async () => {
    const pem = (name: string) => readFileSync(new URL(`./fixtures/localhost.${name}`, import.meta.url));
    const received: unknown[] = [];
    const listener = await listenWebSocket({
      host: '127.0.0.1',
      port: 0,
      tls: { cert: pem('crt'), key: pem('key') },
      onConnection: (transport) => {
        transport.onmessage = (message) => received.push(message);
        void transport.start();
      },
    });
    closers.push(() => listener.close());
    const url = `wss://localhost:${listener.port}`;
    await expect(dialWebSocket(url)).rejects.toThrow(/self.signed/);
    const client = await dialWebSocket(url, { ca: pem('crt') });
    await client.send(ping);
    await vi.waitFor(() => expect(received).toEqual([ping]));
  });

  it('keeps what arrives before it is started', async () => {
    const received: unknown[] = [];
    const listener = await listenWebSocket({
      host: '127.0.0.1',
      port: 0,
      onConnection: (transport) => {
        transport.onmessage = (message) => received.push(message);
        setTimeout(() => void transport.start(), 50);
      },
    });
    closers.push(() => listener.close());
    const client = await dialWebSocket(`ws://127.0.0.1:${listener.port}`);
    await client.send(ping);
    await vi.waitFor(() => expect(received).toEqual([ping]));
  });

  it('answers a binary frame and malformed JSON with one error each and goes on', async () => {
    const { url, received } = await listen();
    const socket = new WebSocket(url);
    closers.push(async () => socket.terminate());
    const answers: unknown[] = [];
    socket.on('message', (data) => answers.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(Buffer.from([1, 2, 3]));
    socket.send('{"jsonrpc"');
    socket.send(JSON.stringify(ping));
    await vi.waitFor(() => expect(received).toEqual([ping]));
    expect(answers).toMatchObject([
      { id: null, error: { code: -32700, message: expect.stringContaining('not text') } },
      { id: null, error: { code: -32700, message: expect.stringContaining('not JSON') } },
    ]);
  });
});
