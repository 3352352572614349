import { z } from 'zod';

/** The digest of a manifest, `sha256:` and 43 characters of unpadded base64url (SPEC §17.2). */
export const revision = z.string().regex(/^sha256:[A-Za-z0-9_-]{43}$/);

/** A server's manifest: its whole `capabilities.experimental.mcpl` object (SPEC §17.1). */
export const manifest = z.looseObject({
  version: z.string(),
  revision: revision.optional(),
  pushEvents: z.unknown().optional(),
  channels: z.unknown().optional(),
  featureSets: z.record(z.string(), z.unknown()).optional(),
});
export type Manifest = z.infer<typeof manifest>;

/** `mcpl/manifest` takes nothing and returns the manifest as initialised (SPEC §17.4). */
export const manifestParams = z.looseObject({});

export const changeDomain = z.enum(['capabilities', 'featureSets', 'tagOntology']);
export type ChangeDomain = z.infer<typeof changeDomain>;

/** `mcpl/manifestChanged`: a hint that carries nothing else (SPEC §17.3). */
export const manifestChangedParams = z.strictObject({ revision, domains: z.array(changeDomain).min(1) });
export type ManifestChangedParams = z.infer<typeof manifestChangedParams>;

/** A host's advertisement, read leniently: real hosts send booleans for objects and members nobody knows (SPEC §5.2). */
export const hostAdvert = z.looseObject({ version: z.string().optional(), eventCoalescing: z.unknown().optional() });
export type HostAdvert = z.infer<typeof hostAdvert>;
