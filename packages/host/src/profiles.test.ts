import { describe, expect, it, vi } from 'vitest';
import { Host, PROFILES, type ProfileName } from './index.js';
import { paperJournal } from './paper-journal.testkit.js';
import { connect, inRoom, MANIFEST, ROOM, refusal, type Setting } from './synthetic-server.testkit.js';

const playing = (name: ProfileName, setting: Setting = {}) =>
  connect({ ...setting, options: { ...setting.options, profile: PROFILES[name] } });

const create = { coalesce: { key: 'K', initial: true } };
const edit = { coalesce: { key: 'K' } };

describe('a conservative host', () => {
  const twoAgents = (name: ProfileName) => playing(name, { options: { route: () => ['A', 'B'] } });

  it('takes what one context has read for read everywhere; a strict one decides per context', async () => {
    const seen = async (name: ProfileName) => {
      const { host, push } = await twoAgents(name);
      await push('one', create);
      await host.engine.assemble('A');
      const answer = await push('two', edit);
      const texts = (context: string) =>
        host.engine.entries(context).map(({ content }) => (content[0] as { text: string }).text);
      return { outcome: (answer.coalesce as { outcome: string }).outcome, A: texts('A'), B: texts('B') };
    };
    expect(await seen('strict')).toEqual({ outcome: 'appended', A: ['one', 'two'], B: ['two'] });
    expect(await seen('conservative')).toEqual({ outcome: 'appended', A: ['one', 'two'], B: ['one', 'two'] });
  });

  it('tells everybody of a deletion that one has read', async () => {
    const { host, push } = await twoAgents('conservative');
    await push('one', create);
    await host.engine.assemble('A');
    await push('[gone]', { coalesce: { key: 'K', retract: true } });
    expect(host.engine.entries('B').map(({ content }) => content)).toMatchObject([
      [{ text: 'one' }],
      [{ text: '[gone]' }],
    ]);
  });

  it('delivers as ordinary what a restart found unread', async () => {
    const journal = paperJournal(1000);
    const before = await playing('conservative', { options: { journal: journal() } });
    await before.push('one', create);
    const host = new Host({ profile: PROFILES.conservative, journal: journal() });
    const after = await connect({ host });
    expect(await after.push('two', { ...edit, eventId: 'later' })).toMatchObject({ coalesce: { outcome: 'appended' } });
    expect(await after.reads()).toEqual(['one', 'two']);
  });
});

describe('a host that another profile plays', () => {
  it('plain-mcp: advertises and asks for nothing', async () => {
    const { policies, push } = await playing('plain-mcp');
    expect(policies).toEqual([]);
    await expect(push('x')).rejects.toMatchObject(refusal(-32002));
  });

  it('buffering: lets in what came early, control before data, when it is ready', async () => {
    const scene = await playing('buffering', { connect: { holdMs: 40 } });
    const order: string[] = [];
    const pushed = scene.push('early', inRoom('K', { initial: true })).then(() => order.push('push'));
    const listed = scene.request('channels/list', {}).then(() => order.push('list'));
    const registered = scene.request('channels/register', { channels: [ROOM] }).then(() => order.push('register'));
    await Promise.all([pushed, listed, registered]);
    expect(order).toEqual(['list', 'register', 'push']);
    expect(await scene.reads()).toEqual(['early']);
  });

  it('buffering: answers nothing that it does not know, and recognises pushes only', async () => {
    const scene = await playing('buffering');
    await scene.request('channels/register', { channels: [ROOM] });
    const unanswered = scene.wire.request('model/info', {}, { timeoutMs: 50 });
    await expect(unanswered).rejects.toMatchObject({ cause: { kind: 'timeout' } });
    for (let i = 0; i < 2; i++) {
      await scene.push('pushed', { eventId: 'p' });
      await scene.incoming(scene.message('sent'));
    }
    await expect(scene.push(' \n')).rejects.toMatchObject(refusal(-32602));
    expect(await scene.reads()).toEqual(['pushed', 'sent', 'sent']);
  });

  it('queueing: appends, forgets, says little, and itemises additions only', async () => {
    const scene = await playing('queueing', { policy: { capabilities: ['channels.*'] } });
    const denied = await scene.push('x').catch((error: { cause: { error: object } }) => error.cause.error);
    expect(denied).toEqual({ code: -32002, message: expect.any(String) });
    const { results } = await scene.request('channels/changed', { added: [ROOM], removed: ['chat:old'] });
    expect(results).toEqual([{ id: ROOM.id, accepted: true }]);
    const message = scene.message('one', { eventId: 'a', coalesce: { key: 'K', initial: true } });
    await scene.incoming(message);
    await scene.incoming(message);
    expect(await scene.reads()).toEqual(['one', 'one']);
  });

  it('queueing: loses a change that is announced too soon after the last', async () => {
    const scene = await playing('queueing', { connect: { manifestIntervalMs: 30 } });
    let fetches = 0;
    scene.wire.handle('mcpl/manifest', () => {
      fetches += 1;
      return MANIFEST;
    });
    const announce = () =>
      scene.wire.notify('mcpl/manifestChanged', {
        revision: `sha256:${'A'.repeat(43)}`,
        domains: ['capabilities'],
      });
    announce();
    announce();
    await vi.waitFor(() => {
      announce();
      expect(fetches).toBe(2);
    });
  });

  describe('legacy-array', () => {
    const manifest = { ...MANIFEST, version: '0.4', channels: true, featureSets: [{ name: 'doc' }] };

    it('reads a list of feature sets, sends no policy and takes what is advertised for granted', async () => {
      const { policies, push, request, reads } = await playing('legacy-array', { manifest });
      expect(await request('channels/register', { channels: [ROOM] })).toEqual({});
      await push('one', create);
      await push('two', edit);
      expect(policies).toEqual([]);
      expect(await reads()).toEqual(['one', 'two']);
    });

    it('breaks on anything else', async () => {
      await expect(playing('legacy-array')).rejects.toThrow('as a list only');
    });
  });

  describe('legacy-object', () => {
    it('says at most what is switched off, in a Notification, and names what it registered', async () => {
      const scene = await playing('legacy-object', { policy: { disabled: ['broken'] } });
      expect(scene.policies).toEqual([{ params: { disabled: ['broken'] }, isRequest: false }]);
      expect(await scene.request('channels/register', { channels: [ROOM] })).toEqual({ registered: [ROOM.id] });
      expect(await scene.push('one')).toEqual({ accepted: true });
      await expect(scene.wire.request('model/info', {}, { timeoutMs: 50 })).rejects.toMatchObject({
        cause: { kind: 'timeout' },
      });
    });

    it('takes a list for sets named 0, 1, 2', async () => {
      const { push } = await playing('legacy-object', { manifest: { ...MANIFEST, featureSets: [{ name: 'doc' }] } });
      await expect(push('one')).rejects.toMatchObject(refusal(-32003));
      expect(await push('one', { featureSet: '0' })).toEqual({ accepted: true });
    });
  });
});
