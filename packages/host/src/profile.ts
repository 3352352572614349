import { ALL_LEAVES, type CoalescingLeaves } from '@mcpl-bridges/protocol';
import type { Settings } from './core/state.js';

/** What kind of host this one plays, so that producers can be tested against each. */
export interface Profile {
  /** The version in its advertisement; `undefined` plays a plain MCP client. */
  readonly mcpl: '0.5' | '0.4' | undefined;
  /** The `eventCoalescing` leaves on offer; `undefined` plays an append-only host. */
  readonly coalescing: CoalescingLeaves | undefined;
  readonly consumption: Settings['consumption'];
  /** What becomes of unread work at a restart (RFC-006 §3.2). */
  readonly recovery: 'replaceable' | 'sealed';
  /** The shape of a server's `featureSets` that it can read, and whether it advertises `featureSets` itself. */
  readonly featureSets: 'object' | 'array';
  /** How it tells its grant: as SPEC §5.3 wants it, as a Notification that nobody answers, or never. */
  readonly policy: 'request' | 'notification' | 'never';
  /** How it answers `channels/register`. */
  readonly registration: 'itemised' | 'additions-only' | 'registered' | 'empty';
  /** What becomes of a Request that it does not know. */
  readonly unknownMethods: 'refused' | 'unanswered';
  /** What becomes of Requests that come before it is ready for them: refused, or held until it is. */
  readonly early: 'refused' | 'held';
  /** Which repeated occurrences *without* `coalesce` it recognises; with it, every host must. */
  readonly recognises: 'everything' | 'pushes' | 'nothing';
  /** An event that shows nothing. */
  readonly emptyContent: 'accepted' | 'refused';
  /** Whether `-32002` says which capability it is about. */
  readonly explainsDenials: boolean;
  /** A `mcpl/manifestChanged` inside the interval after a fetch: fetched for when it is over, or lost. */
  readonly manifestChanges: 'deferred' | 'lost';
}

/** All of RFC-006. */
export const STRICT_LEAVES: CoalescingLeaves = ALL_LEAVES;

const strict = {
  mcpl: '0.5',
  coalescing: STRICT_LEAVES,
  consumption: 'per-context',
  recovery: 'replaceable',
  featureSets: 'object',
  policy: 'request',
  registration: 'itemised',
  unknownMethods: 'refused',
  early: 'refused',
  recognises: 'everything',
  emptyContent: 'accepted',
  explainsDenials: true,
  manifestChanges: 'deferred',
} as const satisfies Profile;

/** A 0.4 host: it coalesces nothing and sends no policy that a server could answer. */
const legacy = { ...strict, mcpl: '0.4', coalescing: undefined, recognises: 'nothing' } as const satisfies Profile;

export const PROFILES = {
  /** Every guarantee in its strongest form. */
  strict,
  /** Every guarantee in the weakest form that RFC-006 allows. */
  conservative: { ...strict, consumption: 'shared', recovery: 'sealed' },
  /** MCPL 0.5 without coalescing. */
  'append-only': { ...strict, coalescing: undefined },
  /** No MCPL at all. */
  'plain-mcp': { ...strict, mcpl: undefined, coalescing: undefined },
  /** Coalesces, but takes its time: what comes early waits, control before data, and what it does not know is not answered. */
  buffering: {
    ...strict,
    early: 'held',
    unknownMethods: 'unanswered',
    recognises: 'pushes',
    emptyContent: 'refused',
  },
  /** Appends, forgets what it has seen, and says little about why. */
  queueing: {
    ...strict,
    coalescing: undefined,
    registration: 'additions-only',
    recognises: 'nothing',
    explainsDenials: false,
    manifestChanges: 'lost',
  },
  /** 0.4 with feature sets as an array; an object breaks it, and its policy never comes. */
  'legacy-array': { ...legacy, featureSets: 'array', policy: 'never', registration: 'empty' },
  /** 0.4 with feature sets as an object; an array gives it sets named 0, 1, 2. */
  'legacy-object': {
    ...legacy,
    policy: 'notification',
    registration: 'registered',
    unknownMethods: 'unanswered',
  },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;

/** The host's `capabilities.experimental`, or nothing for a plain MCP host (SPEC §5.2). */
export const hostAdvertisement = (profile: Profile): { experimental?: { mcpl: Record<string, unknown> } } => {
  if (profile.mcpl === undefined) return {};
  const channels = {
    register: true,
    lifecycle: true,
    publish: true,
    incoming: true,
    streaming: true,
    acknowledge: true,
    typing: true,
  };
  return {
    experimental: {
      mcpl: {
        version: profile.mcpl,
        pushEvents: true,
        channels,
        ...(profile.featureSets === 'object' ? { featureSets: true } : {}),
        ...(profile.coalescing ? { eventCoalescing: { ...profile.coalescing } } : {}),
      },
    },
  };
};
