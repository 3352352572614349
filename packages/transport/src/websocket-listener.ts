import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { DEFAULT_MAX_FRAME_BYTES } from './line-transport.js';
import { WebSocketTransport } from './websocket-transport.js';

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Callers must bring it as `Authorization: Bearer <token>` or `?token=<token>`; without it anyone may connect. */
  readonly token?: string;
  /** Largest accepted frame, bytes. Default 10 MiB. */
  readonly maxFrameBytes?: number;
  readonly onConnection: (transport: WebSocketTransport) => void;
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const presentedToken = (request: IncomingMessage): string | undefined =>
  request.headers.authorization?.replace(/^Bearer /, '') ??
  new URL(request.url ?? '/', 'ws://localhost').searchParams.get('token') ??
  undefined;

/** Accepts WebSocket connections; a caller without the token gets 401 and never reaches `onConnection`. */
export const listenWebSocket = async (options: ListenOptions): Promise<Listener> => {
  const server = createServer((_request, response) => {
    response.writeHead(426, { 'content-type': 'text/plain' }).end('this port speaks WebSocket\n');
  });
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES,
  });
  server.on('upgrade', (request, socket, head) => {
    const presented = presentedToken(request);
    const allowed =
      options.token === undefined ||
      (presented !== undefined && timingSafeEqual(digest(presented), digest(options.token)));
    if (!allowed) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) =>
      options.onConnection(new WebSocketTransport(webSocket)),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
