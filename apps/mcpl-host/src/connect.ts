import { type Host, type HostSession, type OperatorPolicy, spawnServer } from '@mcpl-bridges/host';
import { dialWebSocket } from '@mcpl-bridges/transport';
import type { ServerEntry } from './config.js';

export interface Connected {
  readonly session: HostSession;
  stop(): Promise<void>;
}

const policyOf = ({ mcpl: { capabilities, enabled, disabled, channels } }: ServerEntry): OperatorPolicy => ({
  ...(capabilities ? { capabilities } : {}),
  ...(enabled ? { enabled } : {}),
  ...(disabled ? { disabled } : {}),
  ...(channels ? { channels } : {}),
});

/** Starts or dials one server and completes its handshake. @throws when it cannot be reached or does not answer */
export const connectServer = async (
  host: Host,
  serverId: string,
  entry: ServerEntry,
  onStderr: (text: string) => void,
): Promise<Connected> => {
  const policy = policyOf(entry);
  const who = entry.mcpl.principal === undefined ? {} : { principal: entry.mcpl.principal };
  if (entry.kind === 'dialled') {
    const transport = await dialWebSocket(entry.url, entry.token === undefined ? {} : { token: entry.token });
    const session = await host.connect(transport, { serverId, endpoint: entry.url, policy, ...who });
    return { session, stop: () => session.close() };
  }
  const server = await spawnServer(entry, onStderr);
  const endpoint = [entry.command, ...entry.args].join(' ');
  try {
    const session = await host.connect(server.transport, { serverId, endpoint, policy, ...who });
    return { session, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
};
