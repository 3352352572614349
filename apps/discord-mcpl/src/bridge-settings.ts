import { type BridgeOptions, timeTeller } from '@mcpl-bridges/chat';
import { discordChannelId } from './channel-ids.js';
import type { Config } from './config/config.js';

const DAY_MS = 86_400_000;

/** What the operator has set of how every chat bridge works. */
export const bridgeSettings = (config: Config) => {
  const { reactionChannels, backscrollChannels } = config;
  return {
    closedDelivery: config.closedDelivery,
    otherBots: config.bots,
    loopGuard: { turns: config.botTurns },
    platformEvents: config.systemMessages === 'on',
    sourceHeader: config.sourceHeader,
    tellTime: timeTeller(config.timeZone, config.timestampStyle),
    reactionsIn: (channelId: string) => reactionChannels === 'all' || reactionChannels.has(discordChannelId(channelId)),
    reconcile: { messages: config.catchupLimit, ageMs: config.catchupDays * DAY_MS },
    backscroll: {
      onOpen: config.backscrollLimit,
      inChannel: (channelId: string) => backscrollChannels.get(discordChannelId(channelId)),
    },
    inline: { textBytes: config.inlineTextBytes },
    policyTimeoutMs: config.policyTimeoutMs,
  } satisfies Partial<BridgeOptions>;
};
