import type { Manifest } from '@mcpl-bridges/protocol';
import { manifestDigest } from '@mcpl-bridges/protocol';
import { describe, expect, it, vi } from 'vitest';
import type { ChangeReceipt } from '../index.js';
import { connect, MANIFEST, ROOM, refusal, type Setting } from '../synthetic-server.testkit.js';

const NEW_REVISION = `sha256:${'A'.repeat(43)}`;
const DOC = { description: 'documents', uses: ['pushEvents', 'channels.register', 'channels.incoming'] };

/** A server that may change what it is. */
const changeable = async (setting: Setting = {}, intervalMs = 1) => {
  const scene = await connect({ ...setting, connect: { manifestIntervalMs: intervalMs } });
  const receipts: ChangeReceipt[] = [];
  const defects: string[] = [];
  let current: unknown = setting.manifest ?? MANIFEST;
  let fetches = 0;
  scene.host.on('changed', (_session, receipt) => receipts.push(receipt));
  scene.host.on('error', (error) => defects.push(error.message));
  scene.wire.handle('mcpl/manifest', () => {
    fetches += 1;
    return current;
  });
  const announce = () =>
    scene.wire.notify('mcpl/manifestChanged', { revision: NEW_REVISION, domains: ['capabilities'] });
  const become = async (manifest: unknown) => {
    const before = receipts.length;
    current = manifest;
    announce();
    await vi.waitFor(() => expect(receipts.length).toBeGreaterThan(before));
    return receipts.at(-1)?.impacts;
  };
  return { ...scene, become, announce, set: (m: unknown) => (current = m), receipts, defects, fetches: () => fetches };
};

describe('a server that changes', () => {
  it('loses what it no longer advertises, at once and in the policy it is told', async () => {
    const { become, push, policy } = await changeable();
    const { pushEvents: _gone, ...rest } = MANIFEST;
    expect(await become(rest)).toEqual([
      { impact: 'capability-revoked', subject: 'pushEvents', disposition: 'applied' },
      { impact: 'feature-degraded', subject: 'doc', disposition: 'applied' },
    ]);
    expect(policy()?.effectiveCapabilities).not.toContain('pushEvents');
    expect(policy()?.disabled).toEqual(['doc', 'broken']);
    await expect(push('x')).rejects.toMatchObject(refusal(-32002));
  });

  it('gains only what policy allows, and only after its receipt', async () => {
    const open = await changeable({ manifest: { ...MANIFEST, inferenceLifecycle: false } });
    expect(await open.become({ ...MANIFEST, inferenceLifecycle: true })).toEqual([
      { impact: 'capability-expansion-pending', subject: 'inferenceLifecycle', disposition: 'applied' },
    ]);
    expect(open.policy()?.effectiveCapabilities).toContain('inferenceLifecycle');

    const strict = await changeable({ policy: { capabilities: ['pushEvents', 'channels.*'] } });
    expect(await strict.become({ ...MANIFEST, inferenceLifecycle: true })).toEqual([
      { impact: 'capability-expansion-pending', subject: 'inferenceLifecycle', disposition: 'decision-needed' },
    ]);
    expect(strict.policies).toHaveLength(1);
  });

  it('keeps no authority behind a declaration that is invalid, and gets it back when it is valid again', async () => {
    const { become, push } = await changeable();
    const broken = { ...MANIFEST, featureSets: { ...MANIFEST.featureSets, doc: { ...DOC, uses: ['everything'] } } };
    expect(await become(broken)).toEqual([{ impact: 'feature-degraded', subject: 'doc', disposition: 'applied' }]);
    await expect(push('x')).rejects.toMatchObject(refusal(-32001));
    expect(await become(MANIFEST)).toEqual([{ impact: 'feature-restored', subject: 'doc', disposition: 'applied' }]);
    expect(await push('x')).toMatchObject({ accepted: true });
  });

  it('may add a feature set; that restores nothing', async () => {
    const { become } = await changeable();
    const more = { ...MANIFEST, featureSets: { ...MANIFEST.featureSets, extra: { ...DOC } } };
    expect(await become(more)).toEqual([{ impact: 'surface-changed', subject: 'extra', disposition: 'informational' }]);
  });

  it('loses what was accepted of its tags, and whoever referred to one is told', async () => {
    const withTags = (tags: Record<string, object>): Manifest => ({
      ...MANIFEST,
      featureSets: { ...MANIFEST.featureSets, doc: { ...DOC, tagOntology: { tags } } },
    });
    const before = withTags({ 'doc:urgent': {}, 'doc:calm': {} });
    const { become } = await changeable({ manifest: before, options: { referencedTags: ['doc:ur*'] } });
    expect(await become(withTags({ 'doc:calm': {} }))).toEqual([
      { impact: 'ontology-acceptance-invalidated', subject: 'doc', disposition: 'applied' },
      { impact: 'ontology-reference-undeclared', subject: 'doc:urgent', disposition: 'informational' },
    ]);
  });

  it('is told of by the digest of what it is, not of what it says it is', async () => {
    const { become, receipts, defects } = await changeable();
    const next = { ...MANIFEST, inferenceLifecycle: true };
    await become({ ...next, revision: NEW_REVISION });
    expect(receipts.at(-1)?.revision).toBe(manifestDigest(next));
    expect(defects).toEqual([expect.stringContaining(NEW_REVISION)]);
  });

  it('changes nothing when it cannot be read, has no manifest to give, or is what it was', async () => {
    const { announce, set, push, receipts, defects, fetches, wire } = await changeable();
    set('nonsense');
    announce();
    await vi.waitFor(() => expect(defects).toHaveLength(1));
    set(MANIFEST);
    await vi.waitFor(() => {
      announce();
      expect(fetches()).toBeGreaterThan(2);
    });
    wire.handle('mcpl/manifest', () => {
      throw new Error('no');
    });
    await vi.waitFor(() => {
      announce();
      expect(defects.length).toBeGreaterThan(1);
    });
    expect(receipts).toEqual([]);
    expect(await push('x')).toMatchObject({ accepted: true });
  });

  it('may announce as often as it likes; the host asks as often as it likes', async () => {
    const { announce, set, receipts, defects, fetches } = await changeable({}, 60_000);
    set({ ...MANIFEST, inferenceLifecycle: true });
    for (let i = 0; i < 100; i++) announce();
    await vi.waitFor(() => expect(receipts).toHaveLength(1));
    expect(fetches()).toBe(1);
    expect(defects).toEqual([expect.stringContaining('20 manifest changes within 60000 ms')]);
  });

  it('says so for its tools and channels as well', async () => {
    const { request, server, receipts } = await changeable();
    await request('channels/changed', { added: [ROOM] });
    await server.sendToolListChanged();
    await vi.waitFor(() => expect(receipts).toHaveLength(2));
    expect(receipts.flatMap(({ impacts }) => impacts.map(({ subject }) => subject))).toEqual(['channels', 'tools']);
  });
});
