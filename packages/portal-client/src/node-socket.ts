import { WebSocket } from 'ws';
import { ABNORMAL, type Dial, MAX_FRAME_BYTES } from './socket.js';

/** How long a socket may take to open, and to close, ms. */
const HANDSHAKE_MS = 15_000;
const CLOSING_MS = 2000;

/** Dials with `ws`. */
export const dialNode: Dial = (url, events) => {
  const socket = new WebSocket(url, { maxPayload: MAX_FRAME_BYTES, handshakeTimeout: HANDSHAKE_MS });
  let isOver = false;
  const over = (code: number): void => {
    if (isOver) return;
    isOver = true;
    events.closed(code);
  };
  socket.on('open', () => events.opened());
  socket.on('message', (data, isBinary) => {
    if (!isBinary) events.received(data.toString());
  });
  socket.on('error', () => {
    // What it comes to is the close that follows; a socket that never opened closes, too.
  });
  socket.on('close', (code) => over(code));
  return {
    send: (text) => socket.send(text, () => {}),
    close: (code) => {
      socket.close(code);
      // A peer that is gone answers no close.
      const timer = setTimeout(() => {
        socket.terminate();
        over(ABNORMAL);
      }, CLOSING_MS);
      timer.unref();
      socket.once('close', () => clearTimeout(timer));
    },
  };
};
