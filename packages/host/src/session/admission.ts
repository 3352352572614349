import {
  type CoalescingLeaves,
  type ContentBlock,
  capabilityDenied,
  channelNotPermitted,
  checkCoalesce,
  closeTags,
  coalesce as coalesceSchema,
  featureSetNotEnabled,
  type IncomingMessage,
  type IncomingReason,
  incomingMessage,
  invalidParams,
  McplError,
  type PushEventParams,
  parseParams,
  pushEventParams,
  toBlocks,
  unknownChannel,
  unknownFeatureSet,
} from '@mcpl-bridges/protocol';
import type { AdmittedOccurrence, MessageRef, Scope, Treatment } from '../core/occurrence.js';
import type { Profile } from '../profile.js';
import type { Grant } from './grant.js';

/** What admission needs to know of the session an occurrence came by. */
export interface SessionView {
  readonly binding: string;
  /** `undefined` until the server has answered its initial policy (SPEC §5.3). */
  readonly grant: Grant | undefined;
  readonly channels: { has(channelId: string): boolean };
  readonly profile: Profile;
}

/**
 * Admits a `push/event`, in one order: policy, capability, feature set, channel, schema (SPEC §5.4, §14.5; RFC-006
 * §3.2). Deduplication and the subject come after. Refusal touches nothing.
 * @throws McplError -32002, -32003, -32001, -32023, -32017 or -32602
 */
export const admitPush = (view: SessionView, raw: Record<string, unknown>): AdmittedOccurrence => {
  const grant = requireCapability(view, 'pushEvents');
  requireFeatureSet(grant, raw.featureSet);
  const leaves = view.profile.coalescing;
  const channelId = leaves?.pushEvents ? claimedChannel(raw.coalesce) : undefined;
  if (channelId !== undefined && leaves?.channelScopedPush) requireChannel(view, grant, channelId);
  const params = parseParams(pushEventParams, raw);
  const treatment = pushTreatment(params, leaves);
  const content = toBlocks(params.payload.content);
  if (treatment.kind !== 'retract' && showsNothing(view, content))
    throw invalidParams({ field: 'payload.content', reason: 'shows nothing' });
  return {
    binding: view.binding,
    eventId: params.eventId,
    timestamp: params.timestamp,
    content,
    tags: closeTags(params.tags ?? []),
    treatment,
    ...messageOfOrigin(view, params, channelId),
  };
};

export type IncomingAdmission =
  | { readonly kind: 'admitted'; readonly messageId: string; readonly occurrence: AdmittedOccurrence }
  | { readonly kind: 'refused'; readonly messageId: string; readonly reason: IncomingReason };

/** Admits one message of `channels/incoming`; its siblings are judged on their own (SPEC §14.3). */
export const admitIncoming = (view: SessionView, raw: unknown): IncomingAdmission => {
  const messageId = claimedMessageId(raw);
  const refuse = (reason: IncomingReason): IncomingAdmission => ({ kind: 'refused', messageId, reason });
  const parsed = incomingMessage.safeParse(raw);
  const channelId = (raw as { channelId?: unknown } | null)?.channelId;
  if (typeof channelId === 'string' && channelId !== '') {
    if (!view.channels.has(channelId)) return refuse('unknown_channel');
    if (!view.grant?.allowsChannel(channelId)) return refuse('channel_not_permitted');
  }
  if (!parsed.success) return refuse('message_invalid');
  const message = parsed.data;
  const treatment = incomingTreatment(message, view.profile.coalescing);
  if (treatment === 'invalid') return refuse('coalesce_invalid');
  const content = toBlocks(message.content);
  if (treatment.kind !== 'retract' && showsNothing(view, content)) return refuse('message_invalid');
  return {
    kind: 'admitted',
    messageId,
    occurrence: {
      binding: view.binding,
      eventId: message.eventId || message.messageId,
      timestamp: message.timestamp,
      content,
      tags: closeTags(message.tags ?? []),
      treatment,
      message: {
        channelId: message.channelId,
        messageId: message.messageId,
        author: { id: message.author.id, name: message.author.name },
        ...(message.threadId === undefined ? {} : { threadId: message.threadId }),
      },
    },
  };
};

/** May the server still show what a deferred notice promised? Judged before its render, and again at the answer. */
export const mayRender = (view: SessionView, { treatment }: AdmittedOccurrence): boolean => {
  if (treatment.kind !== 'deferred' || !view.grant?.capabilities.includes('pushEvents')) return false;
  if (view.grant.featureSets.get(treatment.featureSet) !== 'enabled') return false;
  const { scope } = treatment;
  if (scope.kind === 'featureSet') return true;
  return (
    view.channels.has(scope.channelId) &&
    view.grant.capabilities.includes('channels.incoming') &&
    view.grant.allowsChannel(scope.channelId)
  );
};

/** @throws McplError -32002 while the policy is not settled, or when `capability` is not granted */
export const requireCapability = (view: SessionView, capability: string): Grant => {
  if (view.grant?.capabilities.some((path) => path === capability)) return view.grant;
  const denied = capabilityDenied(capability);
  throw view.profile.explainsDenials ? denied : new McplError(denied.code, denied.message);
};

const showsNothing = ({ profile }: SessionView, content: readonly ContentBlock[]): boolean =>
  profile.emptyContent === 'refused' && content.every((block) => block.type === 'text' && block.text.trim() === '');

const requireFeatureSet = (grant: Grant, name: unknown): void => {
  if (typeof name !== 'string' || name === '')
    throw invalidParams({ field: 'featureSet', reason: 'must be a non-empty string' });
  const state = grant.featureSets.get(name);
  if (state === undefined) throw unknownFeatureSet(name);
  if (state !== 'enabled') throw featureSetNotEnabled(name);
};

/** The checks a `channels/incoming` for that channel would have to pass now (RFC-006 §3.2). */
const requireChannel = (view: SessionView, grant: Grant, channelId: string): void => {
  if (!view.channels.has(channelId)) throw unknownChannel(channelId);
  if (!grant.capabilities.includes('channels.incoming') || !grant.allowsChannel(channelId))
    throw channelNotPermitted(channelId);
};

const claimedChannel = (coalesce: unknown): string | undefined => {
  const channelId = (coalesce as { channelId?: unknown } | null | undefined)?.channelId;
  return typeof channelId === 'string' && channelId !== '' ? channelId : undefined;
};

const claimedMessageId = (raw: unknown): string => {
  const messageId = (raw as { messageId?: unknown } | null)?.messageId;
  return typeof messageId === 'string' ? messageId : '';
};

const pushTreatment = (params: PushEventParams, leaves: CoalescingLeaves | undefined): Treatment => {
  if (params.coalesce === undefined || !leaves?.pushEvents) return { kind: 'ordinary' };
  const problem = checkCoalesce(params.coalesce, 'push/event', leaves, params.eventId);
  if (problem) throw invalidParams(problem);
  const value = coalesceSchema.parse(params.coalesce);
  const scope: Scope =
    value.channelId === undefined
      ? { kind: 'featureSet', featureSet: params.featureSet }
      : { kind: 'channel', channelId: value.channelId };
  if (!value.deferred) return treatmentOf(scope, value);
  const { key, initial = false, data } = value;
  const notice = { kind: 'deferred', scope, key, initial, featureSet: params.featureSet } as const;
  return data === undefined ? notice : { ...notice, data };
};

const incomingTreatment = (message: IncomingMessage, leaves: CoalescingLeaves | undefined): Treatment | 'invalid' => {
  if (message.coalesce === undefined || !leaves?.channelsIncoming) return { kind: 'ordinary' };
  if (checkCoalesce(message.coalesce, 'channels/incoming', leaves, message.eventId)) return 'invalid';
  return treatmentOf({ kind: 'channel', channelId: message.channelId }, coalesceSchema.parse(message.coalesce));
};

const treatmentOf = (
  scope: Scope,
  value: { readonly key: string; readonly retract?: boolean | undefined; readonly initial?: boolean | undefined },
): Treatment =>
  value.retract
    ? { kind: 'retract', scope, key: value.key }
    : { kind: 'plain', scope, key: value.key, initial: value.initial === true };

/**
 * A push that delivers a message of a channel says so in `origin` (RFC-011). That makes the message a reply target, no
 * more, and only in a channel that this server has registered: it may not send the agent's answers elsewhere.
 */
const messageOfOrigin = (
  view: SessionView,
  { origin = {} }: PushEventParams,
  scopeChannel: string | undefined,
): { message?: MessageRef } => {
  const { mcplChannelId, messageId, threadId, authorId, authorName } = origin;
  if (typeof mcplChannelId !== 'string' || typeof messageId !== 'string') return {};
  if (!view.channels.has(mcplChannelId) || (scopeChannel ?? mcplChannelId) !== mcplChannelId) return {};
  return {
    message: {
      channelId: mcplChannelId,
      messageId,
      ...(typeof threadId === 'string' ? { threadId } : {}),
      ...(typeof authorId === 'string' && typeof authorName === 'string'
        ? { author: { id: authorId, name: authorName } }
        : {}),
    },
  };
};
