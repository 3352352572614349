import { LineTransport, listenTcp, listenWebSocket } from '@mcpl-bridges/transport';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Logger } from 'pino';
import type { ChatBridge } from '../bridge.js';
import { ConfigError } from './errors.js';
import type { Serving } from './flags.js';
import { isLoopback } from './loopback.js';
import type { Listening } from './read-config.js';

/** Serves the host that has started this process. */
export const greet = async (bridge: ChatBridge, onEnd: () => void): Promise<void> => {
  const transport = new LineTransport({ input: process.stdin, output: process.stdout });
  await bridge.producer.connect(transport);
  process.stdin.once('end', onEnd);
  process.stdin.once('close', onEnd);
};

/** Serves hosts that dial, the latest one. @throws ConfigError for an address that cannot be had */
export const listen = async (
  bridge: ChatBridge,
  serving: Exclude<Serving, { kind: 'stdio' }>,
  { listenToken, listenTls }: Listening,
  log: Logger,
): Promise<{ close(): Promise<void> }> => {
  const onConnection = (transport: Transport): void => {
    bridge.producer
      .connect(transport)
      .catch((error: Error) => log.warn({ reason: error.message }, 'a host could not be served'));
  };
  try {
    const listener =
      serving.kind === 'tcp'
        ? await listenTcp({ port: serving.port, onConnection })
        : await listenWebSocket({
            host: serving.host,
            port: serving.port,
            ...(listenToken === undefined ? {} : { token: listenToken }),
            ...(listenTls ? { tls: listenTls } : {}),
            onConnection,
          });
    log.info({ by: serving.kind, port: listener.port }, 'listening for hosts');
    return listener;
  } catch (error) {
    throw new ConfigError(`--${serving.kind}: ${(error as Error).message}; use another address`);
  }
};

/** Whoever can reach the port could speak as the agent. @throws ConfigError */
export const requireToken = (host: string, token: string | undefined): void => {
  if (token === undefined && !isLoopback(host))
    throw new ConfigError(`MCPL_LISTEN_TOKEN is needed to listen on ${host}: set it, or listen on 127.0.0.1`);
};
