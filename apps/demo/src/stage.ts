import { fileURLToPath } from 'node:url';
import {
  Host,
  type HostSession,
  type OccurrenceReport,
  PROFILES,
  type SpawnedServer,
  spawnServer,
} from '@mcpl-bridges/host';
import { type Channel, createChannel, createGuild, Sandbox, type User } from '@mcpl-bridges/sandbox';
import type { DemoFlags } from './flags.js';

/** A local Discord with two people and a bot in one channel, the bridge as a child process, and a host. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly people: Readonly<Record<'alice' | 'bob', User>>;
  readonly bot: User;
  readonly channel: Channel;
  /** The channel as the host knows it. */
  readonly channelId: string;
  readonly host: Host;
  /** Resolves with the report of an occurrence, also if it has come already. @throws after ten seconds */
  reported(eventId: string): Promise<OccurrenceReport>;
  close(): Promise<void>;
}

const PATIENCE_MS = 10_000;

const bridgeCommand = (env: Readonly<Record<string, string>>) => ({
  command: process.execPath,
  args: [fileURLToPath(import.meta.resolve('discord-mcpl/bin'))],
  env: { MCPL_LOG_LEVEL: 'warn', ...env },
});

export const startBridge = (
  env: Readonly<Record<string, string>>,
  onStderr: (text: string) => void,
): Promise<SpawnedServer> => spawnServer(bridgeCommand(env), onStderr);

const within = <T>(promise: Promise<T>, what: string): Promise<T> => {
  let timer: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not happen within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

/** Reports by event id, for those who come before and those who come after. */
const reportsOf = (host: Host): ((eventId: string) => Promise<OccurrenceReport>) => {
  const known = new Map<string, OccurrenceReport>();
  const waiting = new Map<string, (report: OccurrenceReport) => void>();
  host.on('occurrence', (report) => {
    known.set(report.eventId, report);
    waiting.get(report.eventId)?.(report);
  });
  return (eventId) => {
    const report = known.get(eventId);
    if (report) return Promise.resolve(report);
    return within(new Promise((resolve) => waiting.set(eventId, resolve)), `occurrence ${eventId}`);
  };
};

const registered = (host: Host, session: HostSession, channelId: string): Promise<void> =>
  within(
    new Promise((resolve) => {
      const look = (): void => {
        if (!session.channels.has(channelId)) return;
        host.off('channels', look);
        resolve();
      };
      host.on('channels', look);
      look();
    }),
    `the registration of ${channelId}`,
  );

export const setStage = async (flags: DemoFlags): Promise<Stage> => {
  const sandbox = await Sandbox.start();
  const { world } = sandbox;
  const bot = world.createBot('agent', 'sandbox-token').user;
  const people = { alice: world.createUser('alice'), bob: world.createUser('bob') };
  const guild = createGuild(world, 'Sandbox', people.alice, [people.bob, bot]);
  const channel = createChannel(world, guild, 'general');
  const channelId = `discord:${guild.id}:${channel.id}`;

  const bridge = await startBridge(
    {
      DISCORD_TOKEN: 'sandbox-token',
      DISCORD_API_BASE: sandbox.apiBase,
      ...(flags.closed ? { DISCORD_CLOSED_DELIVERY: 'all' } : {}),
    },
    (text) => process.stderr.write(text),
  );
  const host = new Host({ profile: flags.appendOnly ? PROFILES['append-only'] : PROFILES.strict });
  const reported = reportsOf(host);
  const session = await host.connect(bridge.transport, { serverId: 'discord', endpoint: 'discord-mcpl' });
  await registered(host, session, channelId);
  if (!flags.closed) await session.openChannel(channelId);
  return {
    sandbox,
    people,
    bot,
    channel,
    channelId,
    host,
    reported,
    close: async () => {
      await host.close();
      await bridge.stop();
      await sandbox.close();
    },
  };
};
