import { advertisedPaths, canonicalManifest, type Manifest, type TagOntology } from '@mcpl-bridges/protocol';
import { globPattern } from '../glob.js';
import type { Grant } from '../session/grant.js';

/** What a change of a server's manifest means here: a closed vocabulary, derived by the host (SPEC §17.6). */
export type Impact =
  | 'capability-revoked'
  | 'capability-expansion-pending'
  | 'feature-degraded'
  | 'feature-restored'
  | 'ontology-acceptance-invalidated'
  | 'ontology-reference-undeclared'
  | 'surface-changed';

export interface ManifestImpact {
  readonly impact: Impact;
  /** The capability, feature set, tag or surface it is about. */
  readonly subject: string;
  readonly disposition: 'applied' | 'decision-needed' | 'informational';
}

/** One account of what changed about a server (SPEC §17.6). */
export interface ChangeReceipt {
  /** Digest of the manifest that is in force now. */
  readonly revision: string;
  readonly impacts: readonly ManifestImpact[];
}

export interface Standing {
  readonly manifest: Manifest;
  readonly grant: Grant;
}

/**
 * What the step from `before` to `after` means. `after.grant` is what policy makes of the new manifest, granted or about
 * to be; `referenced` are the tag globs that consumers' rules name.
 */
export const impactsOf = (
  before: Standing,
  after: Standing,
  tools: boolean,
  referenced: readonly string[],
): ManifestImpact[] => [
  ...capabilityImpacts(before, after, tools),
  ...featureSetImpacts(before, after),
  ...ontologyImpacts(before.manifest, after.manifest, referenced),
];

const capabilityImpacts = (before: Standing, after: Standing, tools: boolean): ManifestImpact[] => {
  const advertisedBefore = advertisedPaths(before.manifest, tools);
  const revoked = before.grant.capabilities.filter((path) => !after.grant.capabilities.includes(path));
  const fresh = advertisedPaths(after.manifest, tools).filter((path) => !advertisedBefore.includes(path));
  return [
    ...revoked.map((subject) => ({ impact: 'capability-revoked', subject, disposition: 'applied' }) as const),
    ...fresh.map((subject) => {
      const disposition = after.grant.capabilities.includes(subject) ? 'applied' : 'decision-needed';
      return { impact: 'capability-expansion-pending', subject, disposition } as const;
    }),
  ];
};

const featureSetImpacts = (before: Standing, after: Standing): ManifestImpact[] => {
  const works = ({ grant }: Standing, name: string): boolean => grant.featureSets.get(name) === 'enabled';
  const names = new Set([...before.grant.featureSets.keys(), ...after.grant.featureSets.keys()]);
  return [...names].sort().flatMap((subject): ManifestImpact[] => {
    if (works(before, subject) === works(after, subject)) return [];
    if (!works(after, subject)) return [{ impact: 'feature-degraded', subject, disposition: 'applied' }];
    // What was never there before is not restored.
    const known = before.grant.featureSets.has(subject);
    return [
      known
        ? { impact: 'feature-restored', subject, disposition: 'applied' }
        : { impact: 'surface-changed', subject, disposition: 'informational' },
    ];
  });
};

const ontologyImpacts = (before: Manifest, after: Manifest, referenced: readonly string[]): ManifestImpact[] => {
  const [then, now] = [ontologiesOf(before), ontologiesOf(after)];
  const changed = [...then].filter(([name, ontology]) => textOf(ontology) !== textOf(now.get(name)));
  const declared = new Set([...now.values()].flatMap(tagsOf));
  const gone = [...new Set([...then.values()].flatMap(tagsOf))].filter((tag) => !declared.has(tag));
  return [
    ...changed.map(([subject]) => {
      return { impact: 'ontology-acceptance-invalidated', subject, disposition: 'applied' } as const;
    }),
    ...gone
      .filter((tag) => referenced.some((glob) => globPattern(glob).test(tag)))
      .map((subject) => {
        return { impact: 'ontology-reference-undeclared', subject, disposition: 'informational' } as const;
      }),
  ];
};

const ontologiesOf = ({ featureSets = {} }: Manifest): Map<string, TagOntology> =>
  new Map(
    Object.entries(featureSets).flatMap(([name, declaration]) => {
      const { tagOntology } = (declaration ?? {}) as { tagOntology?: TagOntology };
      return tagOntology === undefined ? [] : [[name, tagOntology]];
    }),
  );

/** Equal for ontologies that say the same in another order. */
const textOf = (tagOntology: TagOntology | undefined): string =>
  canonicalManifest({ featureSets: { x: { tagOntology } } });
const tagsOf = ({ tags }: TagOntology): string[] => Object.keys(tags ?? {});
