import {
  AgentLoop,
  AuditFile,
  channelGlobs,
  Host,
  type HostSession,
  isOwnedBy,
  type LinkState,
  LmdbJournal,
  type Model,
  routeToAgents,
  type Turn,
  type WakePolicy,
} from '@mcpl-bridges/host';
import type { Logger } from 'pino';
import { type Config, readConfig } from './config/read-config.js';
import type { Command } from './flags.js';
import { type Link, startLink } from './links.js';
import { modelNamed } from './models.js';

type RunCommand = Extract<Command, { kind: 'run' }>;

const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const openWanted = async (session: HostSession, globs: readonly string[], log: Logger): Promise<void> => {
  const wanted = channelGlobs(globs);
  for (const { id } of session.channels.all()) {
    if (session.channels.isOpen(id) || !wanted(id)) continue;
    await session.openChannel(id).then(
      () => print({ type: 'opened', channelId: id }),
      (error: Error) => log.warn({ channelId: id, reason: error.message }, 'a channel did not open'),
    );
  }
};

const createHost = (
  { profile, audit, state }: RunCommand,
  { agents, servers, maxSubjects }: Config,
  log: Logger,
): Host => {
  const host = new Host({
    profile,
    maxSubjects,
    route: routeToAgents(agents),
    referencedTags: agents.flatMap(({ wake }) =>
      (wake?.rules ?? []).flatMap(({ match }) => [...(match.tagsAny ?? []), ...(match.tagsAll ?? [])]),
    ),
    ...(audit === undefined ? {} : { audit: new AuditFile({ path: audit }) }),
    ...(state === undefined ? {} : { journal: new LmdbJournal({ path: state }) }),
  });
  host.on('error', (error) => log.warn({ reason: error.message }, 'a server did what it should not'));
  host.on('channels', (session) => void openWanted(session, servers.get(session.serverId)?.mcpl.open ?? [], log));
  host.on('changed', ({ serverId }, receipt) => print({ type: 'changed', serverId, ...receipt }));
  host.on('occurrence', ({ serverId, eventId, lane, channelId, key, outcome }) =>
    print({ type: 'occurrence', serverId, eventId, lane, channelId, key, outcome }),
  );
  return host;
};

const printTurn =
  (agent: string) =>
  ({ n, conversation, context, published, reply }: Turn): void => {
    print({ type: 'turn', agent, n, conversation, context });
    if (!published) return;
    const { kind, ...rest } = published;
    print({ type: kind === 'refused' ? 'unpublished' : 'published', outcome: kind, ...rest, text: reply?.text });
  };

interface Agent {
  readonly name: string;
  readonly model: Model;
  readonly wake: WakePolicy | undefined;
}

const agentsOf = (command: RunCommand, { agents }: Config): Agent[] =>
  agents.map(({ name, model, wake }) => {
    const where = `${command.config}: mcplHost: the model of ${name}`;
    const create = model === undefined ? command.model : modelNamed(model, where);
    return { name, model: create(), wake };
  });

const startAgent = (host: Host, { name, model, wake }: Agent, log: Logger): AgentLoop =>
  new AgentLoop({
    host,
    model,
    wake,
    owns: isOwnedBy(name),
    onTurn: printTurn(name),
    onError: (error) => log.error({ agent: name, reason: error.message }, 'a turn failed'),
  });

const tell = (log: Logger, server: string, state: LinkState): void => {
  switch (state.kind) {
    case 'connected':
      log.info({ server }, 'connected');
      break;
    case 'paused':
      log.warn({ server, reason: state.why, againInMs: state.ms }, 'a server is gone, and will be tried again');
      break;
    case 'ended':
      log.error({ server, reason: state.why }, 'a server is gone');
      break;
  }
};

/** Whether every server could be reached, and answered the handshake. */
const check = async (host: Host, { servers }: Config, log: Logger): Promise<boolean> => {
  const outcomes = [...servers].map(async ([name, entry]) => {
    if (entry.kind === 'awaited') return true;
    let link: Link | undefined;
    const connected = await new Promise<boolean>((resolve) => {
      const onState = (state: LinkState): void => {
        tell(log, name, state);
        resolve(state.kind === 'connected');
      };
      const started = startLink(host, name, entry, onState, toStderr, { when: 'never' });
      void started.then((one) => {
        link = one;
      });
    });
    await link?.stop();
    return connected;
  });
  return (await Promise.all(outcomes)).every(Boolean);
};

const toStderr = (text: string): void => void process.stderr.write(text);

/** Runs the configured servers and the agents until interrupted. Resolves to the exit code. */
export const run = async (command: RunCommand, log: Logger): Promise<number> => {
  const config = readConfig(command.config);
  const agents = agentsOf(command, config);
  const host = createHost(command, config, log);
  if (command.check) {
    const well = await check(host, config, log.child({}, { level: 'info' }));
    await host.close();
    return well ? 0 : 1;
  }
  const failed = new Promise<number>((resolve) =>
    host.on('failed', (error) => {
      log.fatal({ reason: error.message }, 'what is not on disk must not be answered: this host ends');
      resolve(1);
    }),
  );
  const loops = agents.map((agent) => startAgent(host, agent, log));
  let everConnected = false;
  const links = await Promise.all(
    [...config.servers].map(([name, entry]) => {
      const onState = (state: LinkState): void => {
        everConnected ||= state.kind === 'connected';
        tell(log, name, state);
      };
      return startLink(host, name, entry, onState, toStderr);
    }),
  );
  const interrupted = new Promise<number>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(0));
  });
  const allEnded = Promise.all(links.map(({ ended }) => ended)).then(() => (everConnected ? 0 : 1));
  const code = await Promise.race([failed, interrupted, allEnded]);
  for (const loop of loops) loop.stop();
  await Promise.all(links.map((link) => link.stop()));
  await host.close();
  return code;
};
