import { z } from 'zod';
import { jsonLength, utf8Length } from './bytes.js';
import type { FieldProblem } from './errors.js';

/** Longest `coalesce.key`, bytes of UTF-8 (RFC-006 §13). */
export const MAX_KEY_BYTES = 256;
/** Largest `coalesce.data`, bytes of its JSON (RFC-006 §13). */
export const MAX_DATA_BYTES = 4096;
/** Shortest time a host must recognise a retry, and the default when it advertises none, ms (RFC-006 §3.1). */
export const DEFAULT_RETRY_WINDOW_MS = 3_600_000;

/** The shape of `coalesce`; which members may stand together is `checkCoalesce`'s to say. */
export const coalesce = z.looseObject({
  key: z.string(),
  channelId: z.string().optional(),
  deferred: z.boolean().optional(),
  retract: z.boolean().optional(),
  initial: z.boolean().optional(),
  data: z.unknown().optional(),
});
export type Coalesce = z.infer<typeof coalesce>;

/** What became of an admitted occurrence (RFC-006 §7). */
export const outcome = z.enum(['first', 'replaced', 'appended', 'retracted', 'noted', 'consumed']);
export type Outcome = z.infer<typeof outcome>;

export const coalesceResult = z.looseObject({ outcome, priorEventId: z.string().optional() });
export type CoalesceResult = z.infer<typeof coalesceResult>;

/** The two ways an occurrence can travel. */
export type Lane = 'push/event' | 'channels/incoming';

/** What a host offers under `eventCoalescing` (RFC-006 §10), every member decided. */
export interface CoalescingLeaves {
  readonly pushEvents: boolean;
  readonly channelsIncoming: boolean;
  readonly deferred: boolean;
  readonly channelScopedPush: boolean;
  /** How long the host recognises a retry, ms; never below 3,600,000. */
  readonly retryWindowMs: number;
}

export const ALL_LEAVES: CoalescingLeaves = {
  pushEvents: true,
  channelsIncoming: true,
  deferred: true,
  channelScopedPush: true,
  retryWindowMs: DEFAULT_RETRY_WINDOW_MS,
};

/**
 * Reads a host's `eventCoalescing` member. `true` is everything with the default window; an object offers exactly the
 * leaves it sets to `true`; anything else is an append-only host, `undefined` (RFC-006 §10).
 */
export const readCoalescingAdvert = (advert: unknown): CoalescingLeaves | undefined => {
  if (advert === true) return ALL_LEAVES;
  if (typeof advert !== 'object' || advert === null || Array.isArray(advert)) return undefined;
  const member = advert as Record<string, unknown>;
  const window = member.retryWindowMs;
  return {
    pushEvents: member.pushEvents === true,
    channelsIncoming: member.channelsIncoming === true,
    deferred: member.deferred === true,
    channelScopedPush: member.channelScopedPush === true,
    retryWindowMs:
      typeof window === 'number' && Number.isFinite(window)
        ? Math.max(window, DEFAULT_RETRY_WINDOW_MS)
        : DEFAULT_RETRY_WINDOW_MS,
  };
};

/**
 * Judges a `coalesce` member as a host with `leaves` must (RFC-006 §13). `undefined` means well-formed. On `push/event`
 * a problem becomes a `-32602`; on `channels/incoming` that message's `coalesce_invalid`.
 */
export const checkCoalesce = (
  raw: unknown,
  lane: Lane,
  leaves: CoalescingLeaves,
  eventId: unknown,
): FieldProblem | undefined => {
  const parsed = coalesce.safeParse(raw);
  if (!parsed.success) return shapeProblem(raw, parsed.error);
  const value = parsed.data;
  return (
    keyProblem(value.key) ??
    exclusionProblem(value) ??
    (lane === 'push/event' ? pushProblem(value, leaves) : incomingProblem(value, eventId))
  );
};

const problem = (field: string, reason: string): FieldProblem => ({ field, reason });

const shapeProblem = (raw: unknown, error: z.ZodError): FieldProblem => {
  if (typeof raw !== 'object' || raw === null) return problem('coalesce', 'must be an object');
  const path = error.issues[0]?.path.map(String).join('.');
  return problem(path ? `coalesce.${path}` : 'coalesce', error.issues[0]?.message ?? 'is not valid');
};

const keyProblem = (key: string): FieldProblem | undefined => {
  const bytes = utf8Length(key);
  if (bytes === 0) return problem('coalesce.key', 'must not be empty');
  if (bytes > MAX_KEY_BYTES) return problem('coalesce.key', `is ${bytes} bytes, at most ${MAX_KEY_BYTES} are allowed`);
  return undefined;
};

const exclusionProblem = (value: Coalesce): FieldProblem | undefined => {
  if (value.retract && value.deferred) return problem('coalesce.retract', 'excludes deferred');
  if (value.retract && value.initial) return problem('coalesce.initial', 'is not allowed on a retraction');
  if (value.data === undefined) return undefined;
  if (!value.deferred) return problem('coalesce.data', 'is allowed only with deferred');
  const bytes = jsonLength(value.data);
  return bytes > MAX_DATA_BYTES
    ? problem('coalesce.data', `is ${bytes} bytes, at most ${MAX_DATA_BYTES} are allowed`)
    : undefined;
};

const pushProblem = (value: Coalesce, leaves: CoalescingLeaves): FieldProblem | undefined => {
  if (value.deferred && !leaves.deferred) return problem('coalesce.deferred', 'is not offered by this host');
  if (value.channelId === undefined) return undefined;
  if (value.channelId === '') return problem('coalesce.channelId', 'must not be empty');
  if (!leaves.channelScopedPush)
    return problem('coalesce.channelId', 'is not offered by this host (channelScopedPush)');
  return undefined;
};

const incomingProblem = (value: Coalesce, eventId: unknown): FieldProblem | undefined => {
  if (value.channelId !== undefined) return problem('coalesce.channelId', 'is allowed only on push/event');
  if (value.deferred) return problem('coalesce.deferred', 'is allowed only on push/event');
  if (typeof eventId !== 'string' || eventId === '')
    return problem('eventId', 'must be a non-empty string on a message with coalesce');
  return undefined;
};
