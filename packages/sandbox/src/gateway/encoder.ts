import { constants, createDeflate } from 'node:zlib';
import type { WebSocket } from 'ws';

export type Encoder = (payload: unknown) => void;

/** Sends each payload as one JSON text frame. */
export const plainEncoder =
  (socket: WebSocket): Encoder =>
  (payload) =>
    socket.send(JSON.stringify(payload));

/** Sends each payload as one binary frame of a single zlib stream, flushed so that it ends in 00 00 FF FF. */
export const zlibStreamEncoder = (socket: WebSocket): Encoder => {
  const deflate = createDeflate({ flush: constants.Z_SYNC_FLUSH });
  let waiting: Promise<void> = Promise.resolve();
  let parts: Buffer[] = [];
  deflate.on('data', (part: Buffer) => parts.push(part));
  return (payload) => {
    waiting = waiting.then(
      () =>
        new Promise((resolve) => {
          deflate.write(JSON.stringify(payload));
          deflate.flush(constants.Z_SYNC_FLUSH, () => {
            const whole = Buffer.concat(parts);
            parts = [];
            if (socket.readyState === socket.OPEN) socket.send(whole, { binary: true });
            resolve();
          });
        }),
    );
  };
};
