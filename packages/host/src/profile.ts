import { ALL_LEAVES, type CoalescingLeaves } from '@mcpl-bridges/protocol';

/** What kind of host this one plays, so that producers can be tested against each. */
export interface Profile {
  /** Advertises MCPL at all; without it the host is a plain MCP client. */
  readonly mcpl: boolean;
  /** The `eventCoalescing` leaves on offer; `undefined` plays an append-only host. */
  readonly coalescing: CoalescingLeaves | undefined;
}

/** All of RFC-006. */
export const STRICT_LEAVES: CoalescingLeaves = ALL_LEAVES;

export const PROFILES = {
  strict: { mcpl: true, coalescing: STRICT_LEAVES },
  'append-only': { mcpl: true, coalescing: undefined },
  'plain-mcp': { mcpl: false, coalescing: undefined },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;

/** The host's `capabilities.experimental`, or nothing for a plain MCP host (SPEC §5.2). */
export const hostAdvertisement = (profile: Profile): { experimental?: { mcpl: Record<string, unknown> } } =>
  profile.mcpl
    ? {
        experimental: {
          mcpl: {
            version: '0.5',
            pushEvents: true,
            channels: {
              register: true,
              lifecycle: true,
              publish: true,
              incoming: true,
              streaming: true,
              acknowledge: true,
              typing: true,
            },
            featureSets: true,
            ...(profile.coalescing ? { eventCoalescing: { ...profile.coalescing } } : {}),
          },
        },
      }
    : {};
