import type { z } from 'zod';
import { METHOD_CAPABILITY } from './capability.js';
import * as channel from './channel.js';
import * as incoming from './incoming.js';
import * as inference from './inference.js';
import * as manifest from './manifest.js';
import * as policy from './policy.js';
import * as publish from './publish.js';
import * as push from './push.js';

export type Direction = 'server-to-host' | 'host-to-server' | 'either';

interface MethodShape {
  readonly direction: Direction;
  /** May be sent as a Request, as a Notification, or as either (SPEC §4.1). */
  readonly mode: 'request' | 'notification' | 'either';
  readonly params: z.ZodType;
  /** Absent on methods that are only ever Notifications. */
  readonly result?: z.ZodType;
}

/** Every MCPL method with its direction, mode and schemas (SPEC §4.1, RFC-006 §13). */
export const METHODS = {
  'push/event': {
    direction: 'server-to-host',
    mode: 'request',
    params: push.pushEventParams,
    result: push.pushEventResult,
  },
  'push/render': {
    direction: 'host-to-server',
    mode: 'request',
    params: push.pushRenderParams,
    result: push.pushRenderResult,
  },
  'featureSets/update': {
    direction: 'host-to-server',
    mode: 'either',
    params: policy.featureSetsUpdateParams,
    result: policy.degradationReceipt,
  },
  'mcpl/manifest': {
    direction: 'host-to-server',
    mode: 'request',
    params: manifest.manifestParams,
    result: manifest.manifest,
  },
  'mcpl/manifestChanged': {
    direction: 'server-to-host',
    mode: 'notification',
    params: manifest.manifestChangedParams,
  },
  'channels/register': {
    direction: 'server-to-host',
    mode: 'request',
    params: channel.channelsRegisterParams,
    result: channel.channelsRegisterResult,
  },
  'channels/changed': {
    direction: 'server-to-host',
    mode: 'either',
    params: channel.channelsChangedParams,
    result: channel.channelsRegisterResult,
  },
  'channels/list': {
    direction: 'either',
    mode: 'request',
    params: channel.channelsListParams,
    result: channel.channelsListResult,
  },
  'channels/open': {
    direction: 'host-to-server',
    mode: 'request',
    params: channel.channelsOpenParams,
    result: channel.channelsOpenResult,
  },
  'channels/close': {
    direction: 'host-to-server',
    mode: 'request',
    params: channel.channelsCloseParams,
    result: channel.channelsCloseResult,
  },
  'channels/incoming': {
    direction: 'server-to-host',
    mode: 'request',
    params: incoming.channelsIncomingParams,
    result: incoming.channelsIncomingResult,
  },
  'channels/publish': {
    direction: 'host-to-server',
    mode: 'either',
    params: publish.channelsPublishParams,
    result: publish.channelsPublishResult,
  },
  'channels/outgoing/chunk': {
    direction: 'host-to-server',
    mode: 'notification',
    params: publish.outgoingChunkParams,
  },
  'channels/outgoing/complete': {
    direction: 'host-to-server',
    mode: 'notification',
    params: publish.outgoingCompleteParams,
  },
  'channels/acknowledge': {
    direction: 'host-to-server',
    mode: 'request',
    params: publish.channelsAcknowledgeParams,
    result: publish.channelsAcknowledgeResult,
  },
  'channels/typing': {
    direction: 'host-to-server',
    mode: 'notification',
    params: publish.channelsTypingParams,
  },
  'inference/request': {
    direction: 'server-to-host',
    mode: 'request',
    params: inference.inferenceRequestParams,
    result: inference.inferenceRequestResult,
  },
  'inference/lifecycle': {
    direction: 'host-to-server',
    mode: 'notification',
    params: inference.inferenceLifecycleParams,
  },
  'model/info': {
    direction: 'server-to-host',
    mode: 'request',
    params: inference.modelInfoParams,
    result: inference.modelInfoResult,
  },
} as const satisfies Record<string, MethodShape>;

export type McplMethod = keyof typeof METHODS;
export type ParamsOf<M extends McplMethod> = z.infer<(typeof METHODS)[M]['params']>;
export type ResultOf<M extends McplMethod> = (typeof METHODS)[M] extends { result: infer R extends z.ZodType }
  ? z.infer<R>
  : never;

export const isMcplMethod = (method: string): method is McplMethod => Object.hasOwn(METHODS, method);

/** The capability `method` needs, or `undefined` for methods anyone may call. */
export const capabilityOf = (method: string): string | undefined => METHOD_CAPABILITY[method];
