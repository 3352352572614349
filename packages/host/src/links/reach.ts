import { dialWebSocket } from '@mcpl-bridges/transport';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type ServerCommand, spawnServer } from '../session/spawn.js';
import type { Ending } from './restart.js';

/** A server that was reached, before its handshake. */
export interface Reached {
  readonly transport: Transport;
  /** How it ended; asked when the connection is gone. */
  ending(): Promise<Ending>;
  /** Resolves when it is gone. */
  stop(): Promise<void>;
}

/** A process whose streams are closed and that still runs has not ended by its own will. */
const EXIT_GRACE_MS = 1000;

const graceOver = (): Promise<undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(undefined), EXIT_GRACE_MS).unref());

/** Starts a server as a child process on standard streams. */
export const reachBySpawning =
  (command: ServerCommand, onStderr: (text: string) => void): (() => Promise<Reached>) =>
  async () => {
    const server = await spawnServer(command, onStderr);
    return {
      transport: server.transport,
      ending: async () => {
        const code = await Promise.race([server.exited, graceOver()]);
        if (code === undefined) {
          await server.stop();
          return { how: 'failed', why: 'the connection closed' };
        }
        return code === 0 ? { how: 'finished', why: 'it exited' } : { how: 'failed', why: `it ended with ${code}` };
      },
      stop: () => server.stop(),
    };
  };

/** Dials a server's WebSocket. */
export const reachByDialling =
  (url: string, token?: string): (() => Promise<Reached>) =>
  async () => {
    const transport = await dialWebSocket(url, token === undefined ? {} : { token });
    return {
      transport,
      ending: async () => ({ how: 'failed', why: 'the connection closed' }),
      stop: () => transport.close(),
    };
  };
