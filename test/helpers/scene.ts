import {
  Host,
  type HostSession,
  OccurrenceReports,
  type OperatorPolicy,
  type Profile,
  type SpawnedServer,
  spawnServer,
  whenRegistered,
} from '@mcpl-bridges/host';
import {
  type Bot,
  type Channel,
  type Clock,
  createChannel,
  createGuild,
  type Guild,
  type Message,
  Sandbox,
  type User,
} from '@mcpl-bridges/sandbox';
import { afterThisTest } from './cleanup.js';
import { DISCORD, type PlatformUnderTest, TOKEN, type Way } from './platforms.js';

export { eventIdOf, mcplId, TOKEN } from './platforms.js';

/** A local Discord with two people, a bot and one channel. */
export interface Room {
  readonly sandbox: Sandbox;
  readonly bot: Bot;
  readonly alice: User;
  readonly bob: User;
  readonly guild: Guild;
  readonly general: Channel;
}

export const openRoom = async (clock?: Clock): Promise<Room> => {
  const sandbox = await Sandbox.start(clock ? { clock } : {});
  afterThisTest(() => sandbox.close());
  const bot = sandbox.world.createBot('agent', TOKEN);
  const alice = sandbox.world.createUser('alice');
  const bob = sandbox.world.createUser('bob');
  const guild = createGuild(sandbox.world, 'Home', alice, [bob, bot.user]);
  return { sandbox, bot, alice, bob, guild, general: createChannel(sandbox.world, guild, 'general') };
};

/** The bridge as a child process, between a room and a host. */
export interface Scene<W extends Way = Way> extends Room {
  readonly way: W;
  readonly host: Host;
  readonly session: HostSession;
  readonly reports: OccurrenceReports;
  readonly bridge: SpawnedServer;
  stderr(): string;
  /** What the model reads at a turn taken now. */
  reads(): Promise<readonly string[]>;
  /** Resolves once everything posted so far has come through: a last message was posted and has arrived. */
  quiet(): Promise<void>;
}

export interface SceneOptions<W extends Way = Way> {
  /** Default Discord itself. */
  readonly platform?: PlatformUnderTest<W>;
  /** The way of an earlier scene. */
  readonly way?: W;
  readonly room?: Room;
  readonly host?: Host;
  readonly profile?: Profile;
  readonly policy?: OperatorPolicy;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the host opens the channel. Default true. */
  readonly open?: boolean;
  /** Whether to wait for the channel's registration. Default true. */
  readonly registered?: boolean;
}

const silent = { name: 'silent', respond: async () => undefined };

export const openScene = async <W extends Way = Way>(options: SceneOptions<W> = {}): Promise<Scene<W>> => {
  const room = options.room ?? (await openRoom());
  const way = options.way ?? ((await (options.platform ?? DISCORD).join(room)) as W);
  let stderr = '';
  const env = {
    ...way.env,
    MCPL_LOG_LEVEL: 'debug',
    MCPL_STORE: 'memory:',
    [`${way.prefix}_SOURCE_HEADER`]: 'never',
    ...options.env,
  };
  const bridge = await spawnServer({ command: process.execPath, args: [way.program], env }, (text) => {
    stderr += text;
  });
  afterThisTest(() => bridge.stop());
  const host = options.host ?? new Host(options.profile ? { profile: options.profile } : {});
  const reports = new OccurrenceReports(host);
  const policy = options.policy ?? {};
  const session = await host.connect(bridge.transport, {
    serverId: way.serverId,
    endpoint: `${way.serverId}-mcpl`,
    policy,
  });
  const general = way.channelId(room.general);
  if (options.registered !== false) await whenRegistered(host, session, general);
  if (options.open !== false) await session.openChannel(general);
  const quiet = async (): Promise<void> => {
    const { sandbox, bob } = room;
    const marker = sandbox.post(room.general, bob, `${way.agent} marker`);
    await reports.of(way.eventId('create', marker));
    sandbox.delete(room.general, marker);
    await reports.of(way.eventId('delete', marker));
  };
  const reads = async (): Promise<readonly string[]> => (await host.turn(silent)).context;
  return { ...room, way, host, session, reports, bridge, stderr: () => stderr, reads, quiet };
};

/** What the host was told, without the markers of `quiet`. */
export const told = ({ reports }: Scene, message: Message): string[] =>
  reports.all
    .filter((report) => report.eventId.includes(message.id))
    .map((report) => `${report.lane} ${report.outcome}`);
