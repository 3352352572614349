import type { Dial } from './socket.js';

/** What of the browser's own class is used. */
interface BrowserSocket {
  readonly readyState: number;
  send(text: string): void;
  close(code: number): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void;
}

declare const WebSocket: { new (url: string): BrowserSocket; readonly OPEN: number };

/** Dials with the browser's own WebSocket. */
export const dialBrowser: Dial = (url, events) => {
  const socket = new WebSocket(url);
  socket.addEventListener('open', () => events.opened());
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') events.received(data);
  });
  socket.addEventListener('close', ({ code }) => events.closed(code));
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: (code) => socket.close(code),
  };
};
