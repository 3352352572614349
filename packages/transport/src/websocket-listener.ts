import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
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
  /** PEM; with it callers come by `wss:`. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
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

/** Why a caller is turned away, as an HTTP status line; `undefined` when it is not. */
const refusal = (request: IncomingMessage, token: string | undefined): string | undefined => {
  const presented = presentedToken(request);
  if (token !== undefined)
    return presented !== undefined && timingSafeEqual(digest(presented), digest(token))
      ? undefined
      : '401 Unauthorized';
  // Any page that a browser on this machine shows can dial a port of it, and says where it is from.
  return request.headers.origin === undefined ? undefined : '403 Forbidden';
};

/**
 * Accepts WebSocket connections; a caller without the token gets 401, a web page where there is none 403, and neither
 * reaches `onConnection`.
 */
export const listenWebSocket = async (options: ListenOptions): Promise<Listener> => {
  const answer: RequestListener = (_request, response) => {
    response.writeHead(426, { 'content-type': 'text/plain' }).end('this port speaks WebSocket\n');
  };
  const server = options.tls ? createSecureServer(options.tls, answer) : createServer(answer);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES,
  });
  server.on('upgrade', (request, socket, head) => {
    const refused = refusal(request, options.token);
    if (refused !== undefined) {
      socket.end(`HTTP/1.1 ${refused}\r\nConnection: close\r\n\r\n`);
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
