import type { ChangeDomain, FeatureSet, Manifest } from '@mcpl-bridges/protocol';
import { buildManifest } from './manifest.js';

/** What is announced of a change: a hint, no more (SPEC §17.3). */
export interface ManifestChange {
  readonly revision: string;
  readonly domains: readonly ChangeDomain[];
}

/** What this server is now, and the one announcement for all changes of one moment. */
export class Declaration {
  manifest: Manifest;
  /** What hosts have been told, by `initialize` or by an announcement. */
  private told: Manifest;
  private scheduled = false;

  constructor(
    public featureSets: Readonly<Record<string, FeatureSet>>,
    private readonly announce: (change: ManifestChange) => void,
  ) {
    this.manifest = buildManifest(featureSets);
    this.told = this.manifest;
  }

  set(featureSets: Readonly<Record<string, FeatureSet>>): void {
    this.featureSets = featureSets;
    this.manifest = buildManifest(featureSets);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.tell());
  }

  private tell(): void {
    this.scheduled = false;
    const { revision } = this.manifest;
    if (revision === undefined || revision === this.told.revision) return;
    const domains = domainsOf(this.told, this.manifest);
    this.told = this.manifest;
    this.announce({ revision, domains });
  }
}

/** A member that appears or disappears is a change of its domain, an empty one too (SPEC §17.3). */
const domainsOf = (before: Manifest, after: Manifest): ChangeDomain[] => {
  const differ = (pick: (manifest: Manifest) => unknown): boolean =>
    JSON.stringify(pick(before)) !== JSON.stringify(pick(after));
  const domains: ChangeDomain[] = [];
  if (differ(({ featureSets: _sets, revision: _revision, ...capabilities }) => capabilities))
    domains.push('capabilities');
  if (differ(({ featureSets }) => featureSets)) domains.push('featureSets');
  if (differ(ontologies)) domains.push('tagOntology');
  return domains;
};

const ontologies = ({ featureSets = {} }: Manifest): unknown =>
  Object.entries(featureSets).map(([name, set]) => [name, (set as FeatureSet).tagOntology]);
