import {
  advertisedPaths,
  type CapabilityPath,
  checkUses,
  type FeatureSetsUpdateParams,
  isGranted,
  type Manifest,
  matchesFeatureSet,
} from '@mcpl-bridges/protocol';
import { channelGlobs } from './channel-globs.js';

/** What the operator allows one server. Everything that is advertised is allowed unless said otherwise. */
export interface OperatorPolicy {
  /** Capability patterns (`*` = one segment). Default: all that the server advertises. */
  readonly capabilities?: readonly string[];
  /** Feature sets to allow; absent constrains nothing. */
  readonly enabled?: readonly string[];
  readonly disabled?: readonly string[];
  /** Channel id globs (`*` = anything) the server may register and speak in. Default `['*']`. */
  readonly channels?: readonly string[];
}

export type FeatureSetState = 'enabled' | 'not_selected' | 'disabled' | 'missing_capability' | 'invalid_uses';

/** What a server may do right now. */
export interface Grant {
  readonly capabilities: readonly CapabilityPath[];
  readonly featureSets: ReadonlyMap<string, FeatureSetState>;
  /** Whether the server may register a channel and speak in it. */
  readonly allowsChannel: (channelId: string) => boolean;
}

/**
 * The intersection of what a server advertises and what the operator allows (SPEC §5.4). `as-advertised` takes feature
 * sets at their word, as hosts before 0.5 did.
 */
export const computeGrant = (
  manifest: Manifest,
  tools: boolean,
  policy: OperatorPolicy,
  dialect: 'derived' | 'as-advertised' = 'derived',
): Grant => {
  const advertised = advertisedPaths(manifest, tools);
  const capabilities = advertised.filter((path) => !policy.capabilities || isGranted(policy.capabilities, path));
  const featureSets = new Map(
    Object.entries(manifest.featureSets ?? {}).map(([name, declaration]) => [
      name,
      dialect === 'derived'
        ? featureSetState(name, declaration, capabilities, policy)
        : (selection(name, policy) ?? 'enabled'),
    ]),
  );
  return { capabilities, featureSets, allowsChannel: channelGlobs(policy.channels ?? ['*']) };
};

const featureSetState = (
  name: string,
  declaration: unknown,
  granted: readonly CapabilityPath[],
  policy: OperatorPolicy,
): FeatureSetState => {
  const check = checkUses(declaration);
  if (check.kind === 'invalid_uses') return 'invalid_uses';
  const enough = check.uses.every((path) => granted.includes(path));
  return selection(name, policy) ?? (enough ? 'enabled' : 'missing_capability');
};

const selection = (name: string, policy: OperatorPolicy): 'disabled' | 'not_selected' | undefined => {
  if (policy.disabled?.some((pattern) => matchesFeatureSet(pattern, name))) return 'disabled';
  if (policy.enabled && !policy.enabled.some((pattern) => matchesFeatureSet(pattern, name))) return 'not_selected';
  return undefined;
};

/** What both allow. */
export const intersectGrants = (a: Grant, b: Grant): Grant => ({
  capabilities: a.capabilities.filter((path) => b.capabilities.includes(path)),
  featureSets: new Map(
    [...b.featureSets].map(([name, state]) => [
      name,
      state === 'enabled' ? (a.featureSets.get(name) ?? 'not_selected') : state,
    ]),
  ),
  allowsChannel: (id) => a.allowsChannel(id) && b.allowsChannel(id),
});

/** Whether both allow the same; channels are the policy's, which is the same for both. */
export const sameGrant = (a: Grant, b: Grant): boolean =>
  JSON.stringify([a.capabilities, [...a.featureSets]]) === JSON.stringify([b.capabilities, [...b.featureSets]]);

/** The policy message that tells the server its grant (SPEC §5.3). */
export const policyMessage = (grant: Grant, policy: OperatorPolicy): FeatureSetsUpdateParams => ({
  effectiveCapabilities: [...grant.capabilities],
  ...(policy.enabled ? { enabled: [...policy.enabled] } : {}),
  disabled: [...grant.featureSets].flatMap(([name, state]) =>
    state === 'enabled' || state === 'not_selected' ? [] : [name],
  ),
});
