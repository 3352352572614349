import {
  type ChannelDescriptor,
  type ChannelsOpenParams,
  type ChannelsOpenResult,
  type ChannelsPublishParams,
  type ChannelsPublishResult,
  ErrorCode,
  McplError,
  publishTargetProblem,
  unknownChannel,
} from '@mcpl-bridges/protocol';
import type { Callbacks } from './callbacks.js';
import type { ChannelTable } from './channel-table.js';
import type { Session } from './session/session.js';

/** Serves what a host asks about channels, each method by its own grant (SPEC §14.1). */
export const serveHostRequests = (session: Session, channels: ChannelTable, callbacks: Callbacks): void => {
  session.serve('channels/list', 'channels.register', () => ({ channels: channels.all() }));
  session.serve('channels/open', 'channels.lifecycle', (params) => open(channels, callbacks, params));
  session.serve('channels/close', 'channels.lifecycle', async ({ channelId }) => {
    if (!channels.get(channelId)) throw unknownChannel(channelId);
    channels.setOpen(channelId, false);
    await callbacks.closed?.(channelId);
    return { closed: true };
  });
  session.serve('channels/publish', 'channels.publish', (params) => publish(channels, callbacks, params));
  session.serve('channels/typing', 'channels.typing', (params) => callbacks.typing?.(params));
  session.serve(
    'channels/acknowledge',
    'channels.acknowledge',
    (params) => callbacks.acknowledge?.(params) ?? { acknowledged: false, reason: 'not supported' },
  );
  session.serve('channels/outgoing/chunk', 'channels.streaming', (params) => callbacks.outgoingChunk?.(params));
  session.serve('channels/outgoing/complete', 'channels.streaming', (params) => callbacks.outgoingComplete?.(params));
};

const open = async (
  channels: ChannelTable,
  callbacks: Callbacks,
  params: ChannelsOpenParams,
): Promise<ChannelsOpenResult> => {
  const channel = channels.all().find((one) => selects(params, one));
  if (!channel) throw unknownChannel(params.channelId ?? JSON.stringify(params.address));
  const setOpen = (): void => channels.setOpen(channel.id, true);
  try {
    const past = await callbacks.opening?.(channel.id, params.history, setOpen);
    setOpen();
    return { channel, ...past };
  } catch (error) {
    throw new McplError(ErrorCode.ChannelOpenFailed, `Channel open failed: ${(error as Error).message}`);
  }
};

/** Every selector that is given must name the same channel. */
const selects = (params: ChannelsOpenParams, channel: ChannelDescriptor): boolean =>
  (params.channelId === undefined || params.channelId === channel.id) &&
  (params.type === undefined || params.type === channel.type) &&
  (params.address === undefined ||
    Object.entries(params.address).every(([member, value]) => channel.address?.[member] === value));

const publish = async (
  channels: ChannelTable,
  callbacks: Callbacks,
  params: ChannelsPublishParams,
): Promise<ChannelsPublishResult> => {
  const channel = channels.get(params.channelId);
  if (!channel) throw unknownChannel(params.channelId);
  const problem = publishTargetProblem(channel.capabilities?.publish?.target, params.threadId);
  if (problem) return { delivered: false, reason: `${problem.field} ${problem.reason}` };
  const result = await callbacks.publish(params);
  return result.delivered && params.threadId !== undefined ? { ...result, threadId: params.threadId } : result;
};
