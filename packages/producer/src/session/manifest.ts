import { type FeatureSet, type Manifest, manifestDigest } from '@mcpl-bridges/protocol';
import type { Dialect } from './host-view.js';

/** The manifest of a server with these feature sets: every capability some set uses, and nothing else (SPEC §5.1). */
export const buildManifest = (featureSets: Readonly<Record<string, FeatureSet>>): Manifest => {
  const root: Record<string, unknown> = { version: '0.5' };
  for (const path of new Set(Object.values(featureSets).flatMap((set) => set.uses))) {
    if (path !== 'tools') advertise(root, path.split('.'));
  }
  root.featureSets = featureSets;
  return { ...root, revision: manifestDigest(root) } as Manifest;
};

/** The manifest as a host of this dialect can read it. */
export const manifestFor = (manifest: Manifest, dialect: Dialect): Record<string, unknown> => {
  if (dialect === '0.5') return manifest;
  const { revision: _revision, featureSets = {}, ...rest } = manifest;
  const list = Object.entries(featureSets).map(([name, set]) => ({ name, ...(set as object) }));
  return { ...rest, version: '0.4', channels: true, featureSets: dialect === '0.4-list' ? list : featureSets };
};

const advertise = (node: Record<string, unknown>, [head, ...rest]: string[]): void => {
  if (head === undefined) return;
  if (rest.length === 0) {
    node[head] ??= true;
    return;
  }
  if (typeof node[head] !== 'object') node[head] = {};
  advertise(node[head] as Record<string, unknown>, rest);
};
