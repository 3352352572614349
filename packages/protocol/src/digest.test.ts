import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canonicalManifest, DigestRefusal, manifestDigest } from './digest.js';

const EXAMPLE = {
  version: '0.5',
  pushEvents: true,
  contextHooks: { beforeInference: true },
  inferenceLifecycle: true,
  channels: { register: true, publish: true, incoming: true },
  featureSets: {
    'demo.messaging': { description: 'Demo', uses: ['channels.publish', 'channels.incoming', 'pushEvents', 'tools'] },
  },
};

const withSet = (set: unknown) => ({ version: '0.5', featureSets: { 'a.b': set } });

describe('the manifest digest', () => {
  it("gives the specification's own example", () => {
    expect(manifestDigest(EXAMPLE)).toBe('sha256:_YZTS0h1tqTAMZI6eElCszSQE2WNx3xhAhmgUvNI9H4');
  });

  it('does not cover the revision itself', () => {
    expect(manifestDigest({ ...EXAMPLE, revision: 'sha256:old' })).toBe(manifestDigest(EXAMPLE));
  });

  it('takes uses, coreTags and implies for sets', () => {
    const one = {
      uses: ['tools', 'pushEvents', 'tools'],
      tagOntology: { coreTags: ['b:b', 'a:a'], tags: { 'x:y': { implies: ['b:b', 'a:a'] } } },
    };
    const other = {
      uses: ['pushEvents', 'tools'],
      tagOntology: { coreTags: ['a:a', 'b:b'], tags: { 'x:y': { implies: ['a:a', 'b:b', 'a:a'] } } },
    };
    expect(manifestDigest(withSet(one))).toBe(manifestDigest(withSet(other)));
  });

  it('takes every other array for a list', () => {
    const keyed = (values: string[]) => withSet({ uses: ['tools'], tagOntology: { keyed: { level: { values } } } });
    expect(manifestDigest(keyed(['a', 'b']))).not.toBe(manifestDigest(keyed(['b', 'a'])));
    const rule = (tagsAny: string[]) =>
      withSet({ uses: ['tools'], tagOntology: { suggestedTreatment: [{ tagsAny }] } });
    expect(manifestDigest(rule(['a:a', 'b:b']))).not.toBe(manifestDigest(rule(['b:b', 'a:a'])));
  });

  it.each([
    ['a uses that is text', withSet({ uses: 'tools' })],
    ['a uses with a number in it', withSet({ uses: ['b', 1, 'a'] })],
    ['feature sets in an array', { version: '0.5', featureSets: [{ name: 'ä', uses: ['b', 'a'] }] }],
  ])('hashes %s as it is', (_what, manifest) => {
    expect(JSON.parse(canonicalManifest(manifest))).toEqual(manifest);
  });

  it.each([
    ['a feature set', { version: '0.5', featureSets: { 'dé.mo': {} } }],
    ['a use', withSet({ uses: ['tööls'] })],
    ['an empty use', withSet({ uses: [''] })],
    ['a tag', withSet({ tagOntology: { tags: { 'ä:b': {} } } })],
    ['a core tag', withSet({ tagOntology: { coreTags: ['chat mention'] } })],
    ['a capability deep down', { version: '0.5', channels: { 'in coming': true } }],
    ['a capability', { version: '0.5', 'push events': true }],
    ['a keyed family', withSet({ tagOntology: { keyed: { ü: {} } } })],
    ['a treatment', withSet({ tagOntology: { suggestedTreatment: [{ tagsAny: ['ä:*'] }] } })],
  ])('refuses %s that is not ASCII', (_what, manifest) => {
    expect(() => manifestDigest(manifest)).toThrow(expect.objectContaining({ code: 'identifier_charset' }));
  });

  it('leaves text for people alone', () => {
    expect(manifestDigest(withSet({ description: 'Nachrichten über alles 🦊', uses: ['tools'] }))).toMatch(/^sha256:/);
  });

  it.each([null, 'x', []])('refuses %j, which is no object', (value) => {
    expect(() => manifestDigest(value)).toThrow(expect.objectContaining({ code: 'manifest_not_object' }));
  });
});

const vectors = new URL('../../../../shared/conformance/manifest-digest-vectors.json', import.meta.url);

describe.runIf(existsSync(vectors))('the public digest vectors', () => {
  type Vector = { name: string; input: unknown; digest?: string; canonicalJson?: string; expectError?: string };
  const all = existsSync(vectors) ? (JSON.parse(readFileSync(vectors, 'utf8')).vectors as Vector[]) : [];
  it.each(all.map((vector) => [vector.name, vector] as const))(
    '%s',
    (_name, { input, digest, canonicalJson, expectError }) => {
      if (expectError !== undefined) {
        expect(() => manifestDigest(input)).toThrow(DigestRefusal);
        expect(() => manifestDigest(input)).toThrow(expect.objectContaining({ code: expectError }));
        return;
      }
      expect(canonicalManifest(input)).toBe(canonicalJson);
      expect(manifestDigest(input)).toBe(digest);
    },
  );
});
