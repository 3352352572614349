import { Host, OccurrenceReports, PROFILES, type SpawnedServer, spawnServer, whenRegistered } from '@mcpl-bridges/host';
import { type Channel, createChannel, createGuild, Sandbox, type User } from '@mcpl-bridges/sandbox';
import type { DemoFlags } from './flags.js';
import { byDiscord, byPortal, TOKEN, type Way } from './ways.js';

/** A local Discord with two people and a bot in one channel, the bridge as a child process, and a host. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly people: Readonly<Record<'alice' | 'bob', User>>;
  readonly channel: Channel;
  readonly way: Way;
  readonly host: Host;
  readonly reports: OccurrenceReports;
  close(): Promise<void>;
}

export const startBridge = (
  program: string,
  env: Readonly<Record<string, string>>,
  onStderr: (text: string) => void,
): Promise<SpawnedServer> =>
  spawnServer({ command: process.execPath, args: [program], env: { MCPL_LOG_LEVEL: 'warn', ...env } }, onStderr);

export const setStage = async (flags: DemoFlags): Promise<Stage> => {
  const sandbox = await Sandbox.start();
  const { world } = sandbox;
  const bot = world.createBot('agent', TOKEN);
  const people = { alice: world.createUser('alice'), bob: world.createUser('bob') };
  const guild = createGuild(world, 'Sandbox', people.alice, [people.bob, bot.user]);
  const channel = createChannel(world, guild, 'general');
  const way = flags.portal ? await byPortal(sandbox, bot, channel) : byDiscord(sandbox, bot, channel);
  const { serverId, channelId } = way;

  const bridge = await startBridge(
    way.program,
    {
      ...way.env,
      // The room is gone with the demo; so is what was said in it.
      MCPL_STORE: 'memory:',
      ...(flags.closed ? { [`${serverId.toUpperCase()}_CLOSED_DELIVERY`]: 'all' } : {}),
    },
    (text) => process.stderr.write(text),
  );
  const host = new Host({ profile: flags.appendOnly ? PROFILES['append-only'] : PROFILES.strict });
  const reports = new OccurrenceReports(host);
  const session = await host.connect(bridge.transport, { serverId, endpoint: `${serverId}-mcpl` });
  await whenRegistered(host, session, channelId);
  if (!flags.closed) await session.openChannel(channelId);
  return {
    sandbox,
    people,
    channel,
    way,
    host,
    reports,
    close: async () => {
      await host.close();
      await bridge.stop();
      await way.close();
      await sandbox.close();
    },
  };
};
