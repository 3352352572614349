import { downloader } from '@mcpl-bridges/chat';
import { configuredOptions, type PlatformConnection } from '@mcpl-bridges/chat/program';
import { nanoid } from 'nanoid';
import type { Logger } from 'pino';
import type { Config } from './config/config.js';
import { accessOf } from './credentials.js';
import { FEATURE_SETS } from './feature-sets.js';
import { portalChannelId } from './ids.js';
import { portalPlatform } from './platform/portal-platform.js';
import { PortalGateway } from './relay/gateway.js';
import { portalTools } from './tools/portal-tools.js';
import { PROGRAM, VERSION } from './version.js';

/** A Portal relay, as the operator has configured it. @param fail the relay will never let the persona in @throws ConfigError */
export const connectPortal = (config: Config, log: Logger, fail: (error: Error) => void): PlatformConnection => {
  const access = accessOf(config);
  const gateway = new PortalGateway({
    url: config.url,
    access,
    log,
    hears: config.closedDelivery === 'all' ? 'all' : config.subscriptions,
    onFatal: fail,
  });
  return {
    options: {
      platformName: 'portal',
      serverName: PROGRAM,
      version: VERSION,
      featureSets: FEATURE_SETS,
      platform: portalPlatform(gateway, downloader(config.apiBase)),
      tools: (context) => portalTools({ ...context, gateway, canRotate: access.path !== undefined }),
      newNonce: () => nanoid(25),
      laneOf: portalChannelId,
      isNewChannel: (locus) => gateway.isNew(locus),
      isOpenAtFirst: (channelId) => config.subscriptions.has(portalChannelId(channelId)),
      countsRevisions: true,
      hearing: gateway.hearing,
      onDelivered: (message, isOpen) => gateway.delivered(message, isOpen),
      ...configuredOptions(config, portalChannelId, 'Messages'),
    },
    presence: gateway.presence,
    start: (bridge) => gateway.start(bridge),
    close: () => gateway.close(),
  };
};
