import { startTyping } from '@mcpl-bridges/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { PORTAL, PORTAL_4 } from '../helpers/platforms.js';
import { openScene } from '../helpers/scene.js';
import { entryOf, openPresence, presencePath, SOON } from './support.js';

describe.each([
  ['of protocol 3', PORTAL],
  ['of protocol 4', PORTAL_4],
])('presence from a relay %s', (_name, platform) => {
  it('is the persona, and who types or has spoken lately: nothing else is told', async () => {
    const scene = await openPresence({ platform, env: { MCPL_PRESENCE_REFS: 'raw' } });
    const { sandbox, general, alice, bob, way, get, watch, setTokens, stderr } = scene;
    const channel = way.channelId(general);
    setTokens([entryOf('agent', { agent: way.persona.id }), entryOf('alice', { user: alice.id })]);
    await vi.waitFor(() => expect(stderr()).toContain('the tokens of presence have changed'), SOON);
    const { seen } = watch('agent', channel);
    await vi.waitFor(() => expect(seen.at(-1)?.present).toEqual([`agent:${way.persona.id}`]), SOON);
    expect((await get(presencePath(channel), 'alice')).status).toBe(403);
    startTyping(sandbox.world, general, alice.id);
    await vi.waitFor(() => expect(seen.at(-1)?.typing).toEqual([`user:${alice.id}`]), SOON);
    sandbox.post(general, alice, 'hello');
    const present = [`agent:${way.persona.id}`, `user:${alice.id}`];
    await vi.waitFor(() => expect(seen.at(-1)).toMatchObject({ present, typing: [] }), SOON);
    const mine = await get(presencePath(channel), 'alice');
    expect(mine.status).toBe(200);
    await mine.body?.cancel();
    expect(JSON.stringify(seen)).not.toContain(bob.id);
  });

  it('is told to the agent by name', async () => {
    const env = { MCPL_PRESENCE_DEBOUNCE_MS: '50', PORTAL_PRESENCE: 'digest' };
    const { sandbox, general, alice, way, reports, reads } = await openScene({ platform, env });
    await vi.waitFor(() => expect(reports.all).toHaveLength(1), SOON);
    const message = sandbox.post(general, alice, 'hello');
    await reports.of(way.eventId('create', message));
    await vi.waitFor(() => expect(reports.all).toHaveLength(3), SOON);
    expect(await reads()).toEqual(['alice: hello', '* nobody else is here; alice joined']);
  });
});
