import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { dialBrowser } from './browser-socket.js';

// `ws` has the same interface as the browser's own class, which is not here.
vi.stubGlobal('WebSocket', WebSocket);

let server: WebSocketServer;
afterEach(() => server.close());

it('the browser’s socket opens, speaks text, leaves binary frames alone, and says how it was closed', async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (peer) => {
    peer.on('message', (data) => {
      peer.send(Buffer.from([1, 2, 3]));
      peer.send(`heard ${data}`, () => peer.close(4000, 'enough'));
    });
  });
  await new Promise<void>((resolve) => server.once('listening', () => resolve()));
  const { port } = server.address() as AddressInfo;
  const told: unknown[] = [];
  await new Promise<void>((resolve) => {
    const socket = dialBrowser(`ws://127.0.0.1:${port}`, {
      opened: () => {
        told.push('opened');
        socket.send('hello');
      },
      received: (text) => told.push(text),
      closed: (code) => {
        told.push(code);
        // What is sent too late goes nowhere, and harms nobody.
        socket.send('late');
        resolve();
      },
    });
  });
  expect(told).toEqual(['opened', 'heard hello', 4000]);
});
