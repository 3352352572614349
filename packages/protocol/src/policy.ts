import { z } from 'zod';
import { matchesPath } from './capability.js';
import type { FieldProblem } from './errors.js';

/** `featureSets/update` params: the grant (SPEC §5.3). */
export const featureSetsUpdateParams = z.looseObject({
  effectiveCapabilities: z.array(z.string()).optional(),
  deniedCapabilities: z.array(z.string()).optional(),
  enabled: z.array(z.string()).optional(),
  disabled: z.array(z.string()).optional(),
});
export type FeatureSetsUpdateParams = z.infer<typeof featureSetsUpdateParams>;

/** One feature set that will not work, and what that means (SPEC §6.7); `effect` is always present. */
export const unavailableFeature = z.looseObject({
  featureSet: z.string(),
  missingCapabilities: z.array(z.string()),
  effect: z.string(),
});
export type UnavailableFeature = z.infer<typeof unavailableFeature>;

const acceptedReceipt = z.looseObject({
  accepted: z.literal(true),
  mode: z.literal('degraded').optional(),
  unavailableFeatures: z.array(unavailableFeature).optional(),
  notes: z.array(z.string()).optional(),
});

const refusedReceipt = z.looseObject({
  accepted: z.literal(false),
  fallback: z.enum(['mcp-only', 'close']),
  missingCapabilities: z.array(z.string()).optional(),
  reason: z.string().optional(),
});

/** The degradation receipt that answers a policy (SPEC §6.7). */
export const degradationReceipt = z.discriminatedUnion('accepted', [acceptedReceipt, refusedReceipt]);
export type DegradationReceipt = z.infer<typeof degradationReceipt>;

/** A path both granted and denied makes the whole policy malformed (SPEC §5.4). */
export const policyContradiction = (params: FeatureSetsUpdateParams): FieldProblem | undefined => {
  const both = params.deniedCapabilities?.find((denied) =>
    params.effectiveCapabilities?.some((granted) => granted === denied || matchesPath(granted, denied)),
  );
  return both === undefined
    ? undefined
    : { field: 'deniedCapabilities', reason: `names ${both}, which effectiveCapabilities grants` };
};
