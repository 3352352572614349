import { type AddressInfo, createServer, type Socket } from 'node:net';
import { LineTransport } from './line-transport.js';

export interface TcpListenerOptions {
  /** 0 takes a free port. Always on the loopback interface: nobody is asked who he is. */
  readonly port: number;
  readonly onConnection: (transport: LineTransport) => void;
}

export interface TcpListener {
  readonly port: number;
  /** Takes no more connections and ends those that are there. */
  close(): Promise<void>;
}

/**
 * Newline-delimited JSON-RPC for hosts on the same machine. Whoever speaks anything else, such as a web page that posts to
 * every port it can think of, is hung up on at its first line.
 */
export const listenTcp = async ({ port, onConnection }: TcpListenerOptions): Promise<TcpListener> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.setNoDelay();
    const dispose = (): void => void socket.destroySoon();
    onConnection(new LineTransport({ input: socket, output: socket, endsWhenRefused: true, dispose }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
