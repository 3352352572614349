import { createHash } from 'node:crypto';
import { PRESENCE_EVENT } from '../feed/snapshot.js';
import { HOST_EVENT_TYPES } from './host-events.js';
import { type Major, PREFERRED, SERVED, VERSIONS } from './versions.js';

export interface DiscoveryFacts {
  readonly name: string;
  readonly version: string;
  /** Whether presence is really told now. */
  readonly emits: boolean;
  readonly seams: boolean;
}

const versions = {
  protocolVersion: VERSIONS[PREFERRED],
  protocolVersions: SERVED,
  preferredVersion: VERSIONS[PREFERRED],
};

/** OpenWOP 1: capabilities at the root; nothing that a workflow engine would have. */
const first = ({ name, version, emits }: DiscoveryFacts) => ({
  ...versions,
  implementation: { name, version },
  supportedEnvelopes: [],
  schemaVersions: {},
  limits: { clarificationRounds: 0, schemaRounds: 0, envelopesPerTurn: 0 },
  ...(emits ? { channelPresence: { supported: true } } : {}),
});

/** OpenWOP 2: a record for each capability that there is (capabilities.md §2). */
const second = ({ name, version, emits, seams }: DiscoveryFacts) => ({
  ...versions,
  implementation: { name, version },
  ...(seams ? { conformance: { seamsProfile: 'openwop-conformance-seams-v2' } } : {}),
  ...(emits ? { channelPresence: { status: 'stable', since: '2.0', witness: 'witnessable-gated' } } : {}),
  hostEvents: {
    status: 'stable',
    since: '2.0',
    witness: 'witnessable-gated',
    types: HOST_EVENT_TYPES.filter(({ type }) => emits || type !== PRESENCE_EVENT),
  },
});

/** The document, as it is sent, and its validator. */
export const discovery = (major: Major, facts: DiscoveryFacts): { readonly body: string; readonly etag: string } => {
  const body = JSON.stringify(major === 1 ? first(facts) : second(facts));
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
};
