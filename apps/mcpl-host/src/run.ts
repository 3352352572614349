import { AgentLoop, AuditFile, channelGlobs, Host, type HostSession, LmdbJournal, PROFILES } from '@mcpl-bridges/host';
import type { Logger } from 'pino';
import { readServers, type ServerEntry } from './config.js';
import { type Connected, connectServer } from './connect.js';
import type { Command } from './flags.js';

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

const connectAll = async (
  host: Host,
  servers: ReadonlyMap<string, ServerEntry>,
  log: Logger,
): Promise<{ connected: Connected[]; failed: number }> => {
  const connected: Connected[] = [];
  let failed = 0;
  for (const [name, entry] of servers) {
    try {
      connected.push(await connectServer(host, name, entry, (text) => void process.stderr.write(text)));
      log.info({ server: name }, 'connected');
    } catch (error) {
      failed += 1;
      log.error({ server: name, reason: (error as Error).message }, 'a server did not connect');
    }
  }
  return { connected, failed };
};

/** Runs the configured servers and the agent until interrupted. Resolves to the exit code. */
export const run = async (command: RunCommand, log: Logger): Promise<number> => {
  const servers = readServers(command.config);
  const host = new Host({
    profile: PROFILES[command.profile],
    ...(command.audit === undefined ? {} : { audit: new AuditFile({ path: command.audit }) }),
    ...(command.state === undefined ? {} : { journal: new LmdbJournal({ path: command.state }) }),
  });
  host.on('error', (error) => log.warn({ reason: error.message }, 'a server sent something unreadable'));
  host.on('channels', (session) => void openWanted(session, servers.get(session.serverId)?.mcpl.open ?? [], log));
  host.on('occurrence', ({ serverId, eventId, lane, channelId, key, outcome }) =>
    print({ type: 'occurrence', serverId, eventId, lane, channelId, key, outcome }),
  );
  const { connected, failed } = await connectAll(host, servers, log);
  const stop = (): Promise<unknown> => Promise.all(connected.map((one) => one.stop()));
  if (command.check || connected.length === 0) {
    await stop();
    return failed === 0 ? 0 : 1;
  }
  const loop = new AgentLoop({
    host,
    model: command.model,
    onTurn: ({ n, context, published, reply }) => {
      print({ type: 'turn', n, context });
      if (published) print({ type: 'published', ...published, text: reply?.text });
    },
    onError: (error) => log.error({ reason: error.message }, 'a turn failed'),
  });
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    let left = connected.length;
    host.on('closed', (session) => {
      log.warn({ server: session.serverId }, 'a server is gone');
      left -= 1;
      if (left === 0) resolve();
    });
  });
  loop.stop();
  await stop();
  await host.close();
  return 0;
};
