import { ChatBridge, FileRoot } from '@mcpl-bridges/chat';
import { doneWithin, PendingStore, systemTime } from '@mcpl-bridges/producer';
import { nanoid } from 'nanoid';
import type { Logger } from 'pino';
import { bridgeSettings } from './bridge-settings.js';
import { discordChannelId } from './channel-ids.js';
import type { Config } from './config/config.js';
import { ConfigError } from './config/config-error.js';
import { configuredFilters, WatchedFilters } from './config/filters.js';
import type { Command } from './config/flags.js';
import { readHeritage } from './config/heritage.js';
import { FEATURE_SETS } from './feature-sets.js';
import { DiscordGateway } from './gateway/discord-gateway.js';
import { greet, listen, requireToken } from './hosts.js';
import { discordPlatform } from './platform/discord-platform.js';
import { downloader } from './platform/download.js';
import { openBridgeStore } from './store.js';
import { discordTools } from './tools/discord-tools.js';
import { VERSION } from './version.js';

/** Runs the bridge until its host is gone (stdio), it is asked to stop, or Discord will never let it in. */
export const serve = async (
  config: Config,
  command: Extract<Command, { kind: 'stdio' | 'listen' | 'tcp' }>,
  log: Logger,
): Promise<void> => {
  if (command.kind === 'listen') requireToken(command.host, config.listenToken);
  const { filtersFile } = config;
  const filters = configuredFilters(config);
  const heritage = readHeritage(config);
  const files = config.filesRoot === undefined ? undefined : await openFileRoot(config.filesRoot);
  const watched =
    filtersFile === undefined
      ? undefined
      : new WatchedFilters(filtersFile, filters, log, () => gateway.filtersChanged());
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort());
  const opening = openBridgeStore(config, { log, signal: end.signal });
  let failure: Error | undefined;
  const ended = new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()));
  const gateway = new DiscordGateway({
    token: config.token,
    apiBase: config.apiBase,
    filters: () => watched?.current ?? filters,
    members: config.members === 'on',
    admins: new Set(config.adminUsers),
    log,
    onFatal: (error) => {
      failure = error;
      end.abort();
    },
  });
  const nonce = (): string => nanoid(25);
  const bridge = new ChatBridge({
    platformName: 'discord',
    serverName: 'discord-mcpl',
    version: VERSION,
    featureSets: FEATURE_SETS,
    platform: discordPlatform({
      rest: gateway.rest,
      history: (channelId, query) => gateway.history(channelId, query),
      download: downloader(config.apiBase),
    }),
    tools: (context) =>
      discordTools(
        {
          ...context,
          rest: gateway.rest,
          guilds: () => gateway.guilds(),
          membersOf: (channelId) => gateway.membersOf(channelId),
          refresh: () => gateway.refresh(),
          read: (message) => gateway.readFound(message),
          mayWriteTo: (userId) => gateway.mayWriteTo(userId),
          nonce,
        },
        {
          current: () => watched?.current ?? filters,
          change: watched && ((change) => watched.change(change, gateway.guilds())),
        },
      ),
    newNonce: nonce,
    laneOf: discordChannelId,
    isNewChannel: (channelId) => gateway.isNewChannel(channelId),
    ...bridgeSettings(config),
    ...(files ? { files } : {}),
    store: new PendingStore(opening),
    log,
    onTakenOver: (reason) => {
      failure = new Error(reason);
      end.abort();
    },
  });
  try {
    if (command.kind === 'stdio') await greet(bridge, () => end.abort());
    // Another instance may have the store for as long as it lives.
    await Promise.race([opening, ended]);
    if (!end.signal.aborted) {
      await bridge.open(heritage);
      const listening = command.kind !== 'stdio' ? await listen(bridge, command, config, log) : undefined;
      gateway.start(bridge);
      await ended;
      await listening?.close();
    }
  } finally {
    watched?.stop();
    await inTime(gateway.close(), 'Discord', log);
    await inTime(bridge.close(), 'the store', log);
  }
  if (failure) throw failure;
};

/** Hosts kill what has not ended two seconds after they closed its input; what is stored is safe either way. */
const CLOSING_MS = 800;

const inTime = async (closing: Promise<void>, what: string, log: Logger): Promise<void> => {
  if (!(await doneWithin(systemTime, CLOSING_MS, closing)))
    log.warn({ what, afterMs: CLOSING_MS }, 'did not close in time; ending without it');
};

const openFileRoot = async (path: string): Promise<FileRoot> => {
  try {
    return await FileRoot.at(path);
  } catch (error) {
    throw new ConfigError(`DISCORD_FILES_ROOT names ${path}, which is no folder: ${(error as Error).message}`);
  }
};
