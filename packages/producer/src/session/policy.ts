import {
  type CapabilityPath,
  checkUses,
  type DegradationReceipt,
  type FeatureSet,
  type FeatureSetsUpdateParams,
  invalidParams,
  isGranted,
  matchesFeatureSet,
  policyContradiction,
  type UnavailableFeature,
} from '@mcpl-bridges/protocol';

/** What the host lets this server do. */
export interface ProducerGrant {
  readonly capabilities: ReadonlySet<CapabilityPath>;
  readonly featureSets: ReadonlySet<string>;
  /** The feature sets that the host does not want, whatever it grants: their tools are gone, too. */
  readonly deselected: ReadonlySet<string>;
}

/**
 * Reads a policy that came as a Request and says honestly what will not work under it (SPEC §5.3, §6.7). Absent
 * `effectiveCapabilities` grants nothing.
 * @throws McplError -32602 when a path is both granted and denied
 */
export const readPolicy = (
  declared: Readonly<Record<string, FeatureSet>>,
  params: FeatureSetsUpdateParams,
): { grant: ProducerGrant; receipt: DegradationReceipt } => {
  const contradiction = policyContradiction(params);
  if (contradiction) throw invalidParams(contradiction);
  const capabilities = new Set<CapabilityPath>();
  const featureSets = new Set<string>();
  const unwanted = new Set<string>();
  const unavailable: UnavailableFeature[] = [];
  for (const [name, declaration] of Object.entries(declared)) {
    const check = checkUses(declaration);
    const uses = check.kind === 'valid' ? check.uses : [];
    const missing = uses.filter((path) => !isGranted(params.effectiveCapabilities ?? [], path));
    for (const path of uses) if (!missing.includes(path)) capabilities.add(path);
    const deselection = deselected(name, params);
    if (deselection) unwanted.add(name);
    const effect = missing.length > 0 ? 'disabled' : deselection;
    if (effect) unavailable.push({ featureSet: name, missingCapabilities: missing, effect });
    else featureSets.add(name);
  }
  return {
    grant: { capabilities, featureSets, deselected: unwanted },
    receipt:
      unavailable.length === 0
        ? { accepted: true }
        : { accepted: true, mode: 'degraded', unavailableFeatures: unavailable },
  };
};

const deselected = (name: string, params: FeatureSetsUpdateParams): string | undefined => {
  if (params.disabled?.some((pattern) => matchesFeatureSet(pattern, name))) return 'disabled';
  if (params.enabled && !params.enabled.some((pattern) => matchesFeatureSet(pattern, name))) return 'not_selected';
  return undefined;
};

/** A policy that came as a Notification can only take away (SPEC §6.7). */
export const narrow = (
  declared: Readonly<Record<string, FeatureSet>>,
  grant: ProducerGrant,
  params: FeatureSetsUpdateParams,
): ProducerGrant => {
  const disabled = Object.keys(declared).filter((name) =>
    params.disabled?.some((pattern) => matchesFeatureSet(pattern, name)),
  );
  return {
    capabilities: grant.capabilities,
    featureSets: new Set([...grant.featureSets].filter((name) => !disabled.includes(name))),
    deselected: new Set([...grant.deselected, ...disabled]),
  };
};

/** What a host before 0.5 lets a server do: whatever it advertises, but for what a Notification has switched off. */
export const legacyGrant = (
  declared: Readonly<Record<string, FeatureSet>>,
  params: FeatureSetsUpdateParams,
): ProducerGrant => {
  const checks = Object.entries(declared).map(([name, declaration]) => [name, checkUses(declaration)] as const);
  return {
    capabilities: new Set(checks.flatMap(([, check]) => (check.kind === 'valid' ? check.uses : []))),
    featureSets: new Set(checks.flatMap(([name]) => (deselected(name, params) === undefined ? [name] : []))),
    deselected: new Set(checks.flatMap(([name]) => (deselected(name, params) === undefined ? [] : [name]))),
  };
};
