import { ErrorCode } from '@mcpl-bridges/protocol';
import type { FailureCause } from '@mcpl-bridges/transport';
import type { Occurrence } from '../occurrence/occurrence.js';
import type { WireForm } from '../occurrence/wire-form.js';
import type { BurialReason } from '../store/store.js';

/** What follows from the host's answer, or from its absence. Never from an outcome. */
export type Verdict =
  | { readonly kind: 'delivered' }
  /** Try again after a pause, same id, same bytes. */
  | { readonly kind: 'retry' }
  /** Wait for the host's next policy; never ask again before. */
  | { readonly kind: 'await-policy' }
  /** The host does not know the channel as ours: register once more, then try once more. */
  | { readonly kind: 'register-again' }
  | { readonly kind: 'bury'; readonly reason: BurialReason };

const bury = (why: string): Verdict => ({ kind: 'bury', reason: `refused: ${why}` });

type Result = Readonly<Record<string, unknown>>;

/**
 * The host's word on each occurrence of a request, out of its answer; `undefined` where it said nothing of one. Hosts of
 * MCPL 0.4 answer without `results`; what they read, they took.
 */
export const resultsFor = (
  occurrences: readonly Occurrence[],
  method: WireForm['method'],
  answer: Result,
): readonly (Result | undefined)[] => {
  if (method === 'push/event') return occurrences.map(() => answer);
  if (!Array.isArray(answer.results)) return occurrences.map(() => TAKEN);
  const results = answer.results.filter((one): one is Result => typeof one === 'object' && one !== null);
  if (occurrences.length === 1) return [results[0] ?? TAKEN];
  return occurrences.map((occurrence, place) => {
    const messageId = occurrence.kind === 'message' ? occurrence.messageId : undefined;
    // Hosts nearly always answer in the order in which they were asked.
    const there = results[place];
    return there?.messageId === messageId ? there : results.find((one) => one.messageId === messageId);
  });
};

const TAKEN: Result = { accepted: true };

/** Reads the host's word on an occurrence; `undefined` where it said nothing of this one. */
export const judgeResult = (result: Result | undefined, wire: WireForm): Verdict =>
  result ? judgeAcceptance(result) : uncertain(wire);

const uncertain = (wire: WireForm): Verdict =>
  isRepeatable(wire) ? { kind: 'retry' } : { kind: 'bury', reason: 'outcome_unknown' };

const judgeAcceptance = (result: Result): Verdict => {
  if (result.accepted !== false || result.reason === 'duplicate') return { kind: 'delivered' };
  switch (result.reason) {
    case 'capability_denied':
      return { kind: 'await-policy' };
    case 'unknown_channel':
    case 'channel_not_permitted':
      return { kind: 'register-again' };
    default:
      return bury(String(result.reason ?? 'not accepted'));
  }
};

/**
 * May a request be sent again when its fate is unknown? Hosts know a push by its id, and whatever carries `coalesce`
 * (RFC-006 §3.1); a repeated `channels/incoming` without it may be shown twice.
 */
export const isRepeatable = (wire: WireForm): boolean => wire.coalesced || wire.method === 'push/event';

/** Reads a failure. */
export const judgeFailure = (cause: FailureCause, wire: WireForm): Verdict => {
  if (cause.kind !== 'refused') return uncertain(wire);
  switch (cause.error.code) {
    case ErrorCode.FeatureSetNotEnabled:
    case ErrorCode.CapabilityDenied:
    case ErrorCode.UnknownFeatureSet:
      return { kind: 'await-policy' };
    case ErrorCode.ChannelNotPermitted:
    case ErrorCode.UnknownChannel:
      return { kind: 'register-again' };
    case ErrorCode.InvalidParams:
    case ErrorCode.MethodNotFound:
    case ErrorCode.InvalidRequest:
      return bury(`${cause.error.message} (${cause.error.code})`);
    default:
      return { kind: 'retry' };
  }
};
