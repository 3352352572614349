import type { ChatBridge } from '@mcpl-bridges/chat';
import { LineTransport, listenTcp, listenWebSocket } from '@mcpl-bridges/transport';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Logger } from 'pino';
import type { Config } from './config/config.js';
import { ConfigError } from './config/config-error.js';
import type { Command } from './config/flags.js';

type Listening = Extract<Command, { kind: 'listen' | 'tcp' }>;

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
  command: Listening,
  config: Pick<Config, 'listenToken' | 'listenTls'>,
  log: Logger,
): Promise<{ close(): Promise<void> }> => {
  const onConnection = (transport: Transport): void => {
    bridge.producer
      .connect(transport)
      .catch((error: Error) => log.warn({ reason: error.message }, 'a host could not be served'));
  };
  try {
    const listener =
      command.kind === 'tcp'
        ? await listenTcp({ port: command.port, onConnection })
        : await listenWebSocket({
            host: command.host,
            port: command.port,
            ...(config.listenToken === undefined ? {} : { token: config.listenToken }),
            ...(config.listenTls ? { tls: config.listenTls } : {}),
            onConnection,
          });
    log.info({ by: command.kind, port: listener.port }, 'listening for hosts');
    return listener;
  } catch (error) {
    throw new ConfigError(`--${command.kind}: ${(error as Error).message}; use another address`);
  }
};

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;

/** Whoever can reach the port could speak as the bot. @throws ConfigError */
export const requireToken = (host: string, token: string | undefined): void => {
  if (token === undefined && !LOOPBACK.test(host))
    throw new ConfigError(`MCPL_LISTEN_TOKEN is needed to listen on ${host}: set it, or listen on 127.0.0.1`);
};
