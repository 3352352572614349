import { fileURLToPath } from 'node:url';
import { Host, OccurrenceReports, PROFILES, type SpawnedServer, spawnServer, whenRegistered } from '@mcpl-bridges/host';
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
  readonly reports: OccurrenceReports;
  close(): Promise<void>;
}

const bridgeCommand = (env: Readonly<Record<string, string>>) => ({
  command: process.execPath,
  args: [fileURLToPath(import.meta.resolve('discord-mcpl/bin'))],
  env: { MCPL_LOG_LEVEL: 'warn', ...env },
});

export const startBridge = (
  env: Readonly<Record<string, string>>,
  onStderr: (text: string) => void,
): Promise<SpawnedServer> => spawnServer(bridgeCommand(env), onStderr);

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
      // The room is gone with the demo; so is what was said in it.
      MCPL_STORE: 'memory:',
      ...(flags.closed ? { DISCORD_CLOSED_DELIVERY: 'all' } : {}),
    },
    (text) => process.stderr.write(text),
  );
  const host = new Host({ profile: flags.appendOnly ? PROFILES['append-only'] : PROFILES.strict });
  const reports = new OccurrenceReports(host);
  const session = await host.connect(bridge.transport, { serverId: 'discord', endpoint: 'discord-mcpl' });
  await whenRegistered(host, session, channelId);
  if (!flags.closed) await session.openChannel(channelId);
  return {
    sandbox,
    people,
    bot,
    channel,
    channelId,
    host,
    reports,
    close: async () => {
      await host.close();
      await bridge.stop();
      await sandbox.close();
    },
  };
};
