import { createHash } from 'node:crypto';
import canonicalizeModule from 'canonicalize';

// The package is CommonJS whose types describe an ES default export.
const canonicalize = canonicalizeModule as unknown as (value: unknown) => string | undefined;

/** Why a manifest has no digest (SPEC §17.2). */
export class DigestRefusal extends Error {
  override readonly name = 'DigestRefusal';
  constructor(
    readonly code: 'identifier_charset' | 'manifest_not_object',
    message: string,
  ) {
    super(message);
  }
}

const IDENTIFIER = /^[A-Za-z0-9._:*-]+$/;

/** Root members that are no capability paths (SPEC §17.1). */
const NOT_A_CAPABILITY: ReadonlySet<string> = new Set(['version', 'revision', 'featureSets']);

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isStringList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((member) => typeof member === 'string');

const checkIdentifier = (name: string, where: string): void => {
  if (!IDENTIFIER.test(name))
    throw new DigestRefusal('identifier_charset', `${where}: ${JSON.stringify(name)} is empty or not [A-Za-z0-9._:*-]`);
};

const checkKeys = (value: Json, where: string): void => {
  for (const key of Object.keys(value)) checkIdentifier(key, where);
};

/** The member names of a capability member are segments of capability paths, however deep. */
const checkCapability = (value: unknown, where: string): void => {
  if (!isObject(value)) return;
  checkKeys(value, where);
  for (const [key, member] of Object.entries(value)) checkCapability(member, `${where}.${key}`);
};

const byUtf8 = (a: string, b: string): number => Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));

/** A set-valued array: sorted by UTF-8 bytes without duplicates; anything that is not all strings stays verbatim. */
const asSet = (value: unknown, where: string): unknown => {
  if (!isStringList(value)) return value;
  for (const member of value) checkIdentifier(member, where);
  return [...new Set(value)].sort(byUtf8);
};

const checkList = (value: unknown, where: string): void => {
  if (isStringList(value)) for (const member of value) checkIdentifier(member, where);
};

const mapValues = (value: Json, map: (member: unknown, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [key, map(member, key)]));

const within = (value: Json, member: string, map: (value: unknown) => unknown): Json =>
  Object.hasOwn(value, member) ? { ...value, [member]: map(value[member]) } : value;

const normaliseTag = (value: unknown, where: string): unknown => {
  if (!isObject(value)) return value;
  if (typeof value.facet === 'string') checkIdentifier(value.facet, `${where}.facet`);
  return within(value, 'implies', (implies) => asSet(implies, `${where}.implies`));
};

const checkTreatment = (value: unknown, where: string): void => {
  if (!Array.isArray(value)) return;
  for (const rule of value) {
    if (!isObject(rule)) continue;
    for (const matcher of ['tagsAny', 'tagsAll', 'tagsNone']) checkList(rule[matcher], `${where}.${matcher}`);
  }
};

const normaliseOntology = (value: unknown, where: string): unknown => {
  if (!isObject(value)) return value;
  checkTreatment(value.suggestedTreatment, `${where}.suggestedTreatment`);
  if (isObject(value.keyed)) {
    checkKeys(value.keyed, `${where}.keyed`);
    for (const family of Object.values(value.keyed))
      if (isObject(family)) checkList(family.values, `${where}.keyed.values`);
  }
  const withCore = within(value, 'coreTags', (core) => asSet(core, `${where}.coreTags`));
  return within(withCore, 'tags', (tags) => {
    if (!isObject(tags)) return tags;
    checkKeys(tags, `${where}.tags`);
    return mapValues(tags, (tag, name) => normaliseTag(tag, `${where}.tags.${name}`));
  });
};

const normaliseFeatureSet = (value: unknown, where: string): unknown => {
  if (!isObject(value)) return value;
  const withUses = within(value, 'uses', (uses) => asSet(uses, `${where}.uses`));
  return within(withUses, 'tagOntology', (ontology) => normaliseOntology(ontology, `${where}.tagOntology`));
};

/**
 * The exact text that is hashed: the manifest without its root `revision`, sets normalised, canonicalised by RFC 8785.
 * @throws DigestRefusal `manifest_not_object`, or `identifier_charset` for a non-ASCII identifier
 */
export const canonicalManifest = (manifest: unknown): string => {
  if (!isObject(manifest)) throw new DigestRefusal('manifest_not_object', 'a manifest is a JSON object');
  const { revision: _revision, ...rest } = manifest;
  for (const [key, member] of Object.entries(rest)) {
    if (NOT_A_CAPABILITY.has(key)) continue;
    checkIdentifier(key, 'manifest');
    checkCapability(member, key);
  }
  const normalised = within(rest, 'featureSets', (sets) => {
    if (!isObject(sets)) return sets;
    checkKeys(sets, 'featureSets');
    return mapValues(sets, (set, name) => normaliseFeatureSet(set, `featureSets.${name}`));
  });
  return canonicalize(normalised) ?? '';
};

/** `sha256:` + unpadded base64url of the SHA-256 of the canonical manifest (SPEC §17.2). @throws DigestRefusal */
export const manifestDigest = (manifest: unknown): string =>
  `sha256:${createHash('sha256').update(canonicalManifest(manifest), 'utf8').digest('base64url')}`;
