import type { RestartPolicy } from '@mcpl-bridges/host';
import {
  type ConnectOptions,
  Faults,
  type Host,
  type HostSession,
  type LinkState,
  listenForServer,
  type OperatorPolicy,
  reachByDialling,
  reachBySpawning,
  ServerLink,
} from '@mcpl-bridges/host';
import { restartOf, type ServerEntry } from './config/servers.js';

/** One configured server, kept connected. */
export interface Link {
  /** Resolves when it will not come back; never, for a server that dials in. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const policyOf = ({ mcpl: { capabilities, enabled, disabled, channels } }: ServerEntry): OperatorPolicy => ({
  ...(capabilities ? { capabilities } : {}),
  ...(enabled ? { enabled } : {}),
  ...(disabled ? { disabled } : {}),
  ...(channels ? { channels } : {}),
});

const endpointOf = (entry: ServerEntry): string => {
  switch (entry.kind) {
    case 'spawned':
      return [entry.command, ...entry.args].join(' ');
    case 'dialled':
      return entry.url;
    case 'awaited':
      return `listen:${entry.listen}`;
  }
};

const connectOptions = (serverId: string, entry: ServerEntry): ConnectOptions => ({
  serverId,
  endpoint: endpointOf(entry),
  principal: entry.mcpl.principal,
  policy: policyOf(entry),
  retryWindowMs: entry.mcpl.retryWindowMs,
  holdMs: entry.mcpl.holdMs,
  faults: new Faults(entry.mcpl.faults),
});

/** Starts to keep a server connected. @param restart overrides the entry's own */
export const startLink = async (
  host: Host,
  serverId: string,
  entry: ServerEntry,
  onState: (state: LinkState) => void,
  onStderr: (text: string) => void,
  restart: RestartPolicy = restartOf(entry),
): Promise<Link> => {
  const options = connectOptions(serverId, entry);
  const connect = (transport: Parameters<Host['connect']>[0]): Promise<HostSession> => host.connect(transport, options);
  if (entry.kind === 'awaited') {
    const at = entry.listen.lastIndexOf(':');
    const [address, port] = [entry.listen.slice(0, at), Number(entry.listen.slice(at + 1))];
    const listener = await listenForServer({ host: address, port, token: entry.token, connect, onState });
    return { ended: new Promise(() => {}), stop: () => listener.stop() };
  }
  const reach = entry.kind === 'dialled' ? reachByDialling(entry.url, entry.token) : reachBySpawning(entry, onStderr);
  return new ServerLink({ reach, connect, restart, onState });
};
