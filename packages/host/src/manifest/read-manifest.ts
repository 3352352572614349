import { type Manifest, manifest as manifestSchema } from '@mcpl-bridges/protocol';
import type { Profile } from '../profile.js';

/**
 * Reads what a server advertises, as a host of this profile would. `undefined`: the server does not speak MCPL.
 * @throws Error where such a host breaks on it
 */
export const readManifest = (advertised: unknown, form: Profile['featureSets']): Manifest | undefined => {
  if (typeof advertised !== 'object' || advertised === null) return undefined;
  const { featureSets } = advertised as { featureSets?: unknown };
  const parsed = manifestSchema.safeParse(
    featureSets === undefined ? advertised : { ...advertised, featureSets: byName(featureSets, form) },
  );
  return parsed.data;
};

const byName = (featureSets: unknown, form: Profile['featureSets']): unknown => {
  if (form === 'object') return Array.isArray(featureSets) ? { ...featureSets } : featureSets;
  if (!Array.isArray(featureSets)) throw new Error('this host reads featureSets as a list only');
  return Object.fromEntries(featureSets.map((set: { name?: unknown }) => [String(set?.name), set]));
};
