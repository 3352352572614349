import { listenWebSocket } from '@mcpl-bridges/transport';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { HostSession } from '../session/host-session.js';
import type { LinkState } from './server-link.js';

export interface ServerListenerOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** What a server must present; without it anyone who reaches the port is this server. */
  readonly token?: string | undefined;
  readonly connect: (transport: Transport) => Promise<HostSession>;
  readonly onState: (state: LinkState) => void;
}

/**
 * Waits for one server to dial in. A server that comes again takes the place of its earlier connection: the network may
 * have forgotten to tell us that it is gone.
 */
export const listenForServer = async (
  options: ServerListenerOptions,
): Promise<{ readonly port: number; stop(): Promise<void> }> => {
  let current: HostSession | undefined;
  const accept = async (transport: Transport): Promise<void> => {
    try {
      const session = await options.connect(transport);
      const earlier = current;
      current = session;
      options.onState({ kind: 'connected', session });
      await earlier?.close();
    } catch (error) {
      options.onState({ kind: 'paused', ms: 0, why: (error as Error).message });
    }
  };
  const listener = await listenWebSocket({
    host: options.host,
    port: options.port,
    ...(options.token === undefined ? {} : { token: options.token }),
    onConnection: (transport) => void accept(transport),
  });
  return {
    port: listener.port,
    stop: async () => {
      await current?.close();
      await listener.close();
    },
  };
};
