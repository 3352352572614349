import { z } from 'zod';
import { type CapabilityPath, isCapabilityPath } from './capability.js';
import { tagOntology } from './tags.js';

/** Feature-set names end up in digests, so they keep to its identifier alphabet (SPEC §17.2). */
export const featureSetName = z
  .string()
  .regex(/^[A-Za-z0-9._:*-]+$/, 'must use only A-Z a-z 0-9 . _ : * -')
  .describe('dot-separated feature set name');

/** A feature set as declared in the manifest (SPEC §6.1, Appendix B.2). */
export const featureSet = z.looseObject({
  description: z.string(),
  uses: z.array(z.string()),
  tagOntology: tagOntology.optional(),
});
export type FeatureSet = z.infer<typeof featureSet>;

export type UsesCheck =
  | { readonly kind: 'valid'; readonly uses: readonly CapabilityPath[] }
  | { readonly kind: 'invalid_uses'; readonly reason: string };

/** Validates `uses`; absent, empty or holding an unknown path makes the whole declaration invalid (SPEC §6.4 rule 1). */
export const checkUses = (declaration: unknown): UsesCheck => {
  const uses = (declaration as { uses?: unknown } | null | undefined)?.uses;
  if (!Array.isArray(uses)) return { kind: 'invalid_uses', reason: 'uses is not a list' };
  if (uses.length === 0) return { kind: 'invalid_uses', reason: 'uses is empty' };
  const stranger = uses.find((path) => typeof path !== 'string' || !isCapabilityPath(path));
  if (stranger !== undefined)
    return { kind: 'invalid_uses', reason: `uses holds ${JSON.stringify(stranger)}, which is no capability path` };
  return { kind: 'valid', uses: uses as CapabilityPath[] };
};

/** Does a selection entry name `featureSet`? `*` stands for one segment, as in capability paths (SPEC §6.3). */
export { matchesPath as matchesFeatureSet } from './capability.js';
