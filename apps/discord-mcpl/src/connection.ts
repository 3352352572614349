import { type ChatBridge, downloader } from '@mcpl-bridges/chat';
import { configuredOptions, type PlatformConnection, wantsPresence } from '@mcpl-bridges/chat/program';
import { nanoid } from 'nanoid';
import type { Logger } from 'pino';
import { discordChannelId } from './channel-ids.js';
import type { Config } from './config/config.js';
import { configuredFilters, WatchedFilters } from './config/filters.js';
import { readHeritage } from './config/heritage.js';
import { FEATURE_SETS } from './feature-sets.js';
import { DiscordGateway } from './gateway/discord-gateway.js';
import { discordPlatform } from './platform/discord-platform.js';
import { DiscordPresence } from './presence/discord-presence.js';
import { discordTools } from './tools/discord-tools.js';
import { PROGRAM, VERSION } from './version.js';

/** Discord, as the operator has configured it. @param fail Discord will never let the bot in @throws ConfigError */
export const connectDiscord = (config: Config, log: Logger, fail: (error: Error) => void): PlatformConnection => {
  const filters = configuredFilters(config);
  const watched =
    config.filtersFile && new WatchedFilters(config.filtersFile.path, filters, log, () => gateway.filtersChanged());
  const gateway = new DiscordGateway({
    token: config.token,
    apiBase: config.apiBase,
    filters: () => watched?.current ?? filters,
    members: config.members === 'on',
    presence: wantsPresence(config),
    admins: new Set(config.adminUsers),
    log,
    onFatal: fail,
  });
  let bridge: ChatBridge | undefined;
  const presence = new DiscordPresence({
    client: gateway.client,
    knowsChannel: (channelId) => bridge?.knowsChannel(channelId) ?? false,
    log,
  });
  const nonce = (): string => nanoid(25);
  return {
    options: {
      platformName: 'discord',
      serverName: PROGRAM,
      version: VERSION,
      featureSets: FEATURE_SETS,
      platform: discordPlatform({
        rest: gateway.rest,
        history: ({ channelId }, query) => gateway.history(channelId, query),
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
      isNewChannel: ({ channelId }) => gateway.isNewChannel(channelId),
      linkPreviews: config.unfurls === 'unsent',
      ...configuredOptions(config, discordChannelId, 'Discord messages'),
    },
    heritage: readHeritage(config),
    presence,
    start: (started) => {
      bridge = started;
      gateway.start(started);
    },
    close: async () => {
      watched?.stop();
      await gateway.close();
    },
  };
};
