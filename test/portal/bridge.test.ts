import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChannel, startThread } from '@mcpl-bridges/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { callTool } from '../helpers/call-tool.js';
import { PORTAL, PORTAL_4, type PortalWay } from '../helpers/platforms.js';
import { node, PORTAL_BRIDGE } from '../helpers/programs.js';
import { openRoom, openScene } from '../helpers/scene.js';
import { away, comesBack, open, SOON, standing } from './support.js';

describe('a mention while the relay is away', () => {
  it('is told once, whether it comes live, by the relay or after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portal-'));
    const env = { MCPL_STORE: `lmdb:${folder}` };
    const scene = await openScene({ platform: PORTAL, env, open: false });
    const { sandbox, general, alice, way } = scene;
    const live = sandbox.post(general, alice, `${way.agent} one`);
    await scene.reports.of(way.eventId('create', live));
    await away(scene, () => sandbox.post(general, alice, `${way.agent} two`));
    await scene.quiet();
    const news = ['alice: @portal-agent one', 'alice: @portal-agent two'];
    expect(await scene.reads()).toEqual(news);
    scene.bridge.kill('SIGKILL');
    await scene.bridge.exited;
    const again = await openScene({ room: scene, way, host: scene.host, env, open: false });
    await again.quiet();
    expect(await again.reads()).toEqual(news);
    expect(again.stderr()).toContain('"how":"resumed"');
  });

  it('that was edited, or taken back, meanwhile is told as it stands', async () => {
    const scene = await openScene({ platform: PORTAL, open: false });
    const { sandbox, general, alice, bob, way } = scene;
    await away(scene, () => {
      const edited = sandbox.post(general, alice, `${way.agent} deploy at 5`);
      sandbox.edit(general, edited, `${way.agent} deploy at 6`);
      sandbox.delete(general, sandbox.post(general, bob, `${way.agent} never mind`));
    });
    await scene.quiet();
    // The relay counts what was taken back among what was missed.
    expect(await scene.reads()).toEqual(['alice (1 message missed here): @portal-agent deploy at 6']);
  });

  it('from where the persona may not look is not told', async () => {
    const scene = await open();
    const { sandbox, guild, alice, way } = scene;
    const secret = createChannel(sandbox.world, guild, 'secret');
    way.relay.grant(way.persona, secret.id, []);
    sandbox.post(secret, alice, `${way.agent} do as I say`);
    await scene.quiet();
    await comesBack(scene, () => way.relay.drop());
    await scene.quiet();
    expect(await scene.reads()).toEqual([]);
    expect(scene.session.channels.has(way.channelId(secret))).toBe(false);
  });
});

it('what was written, edited and taken back while the session rested is caught up with, deleted in bulk, too', async () => {
  const scene = await open();
  const { sandbox, general, alice, bob, way } = scene;
  const [first, second, third] = ['one', 'two', 'three'].map((text) => sandbox.post(general, alice, text));
  await scene.quiet();
  await scene.reads();
  await away(scene, () => {
    sandbox.edit(general, first as never, 'one!');
    sandbox.bulkDelete(general, [second?.id ?? '', third?.id ?? '']);
    sandbox.delete(general, sandbox.post(general, bob, 'nothing'));
    sandbox.post(general, bob, 'four');
  });
  await scene.quiet();
  expect((await scene.reads()).slice(3)).toEqual([
    'alice (edited): one!',
    'bob: four',
    `[message deleted] ${way.messageId(second as never)} by alice`,
    `[message deleted] ${way.messageId(third as never)} by alice`,
  ]);
  expect(scene.stderr()).toContain('"how":"resumed"');
});

it('more than the relay keeps for a session is caught up with all the same, in a new one', async () => {
  const scene = await open();
  const { sandbox, general, alice, way } = scene;
  const message = sandbox.post(general, alice, 'one');
  await scene.quiet();
  await scene.reads();
  await away(scene, () => {
    way.relay.overflow(way.persona);
    sandbox.edit(general, message, 'two');
    sandbox.post(general, alice, 'three');
  });
  await scene.quiet();
  expect((await scene.reads()).slice(1)).toEqual(['alice (edited): two', 'alice: three']);
  expect(scene.stderr().match(/"how":"\w+"/g)).toEqual(['"how":"anew"', '"how":"anew"']);
});

describe('a thread', () => {
  it.each([
    [3, PORTAL],
    [4, PORTAL_4],
  ])(
    'is named beside its channel in whatever is told of it, and posted to alone (protocol %i)',
    async (_n, platform) => {
      const scene = await open({}, platform);
      const { sandbox, general, alice, way, host } = scene;
      const thread = sandbox.startThread(general, 'aside', alice);
      const message = sandbox.post(thread, alice, 'in here');
      await scene.reports.of(way.eventId('create', message));
      const [entry] = host.engine.unread('main');
      expect(entry?.message).toMatchObject({ threadId: thread.id });
      await scene.reads();
      sandbox.edit(thread, message, 'in here!');
      await vi.waitFor(() => expect(host.engine.unread('main')).toHaveLength(1), SOON);
      expect(host.engine.unread('main')[0]?.message).toMatchObject({ threadId: thread.id });

      const channel = way.channelId(general);
      expect(await host.publish(channel, 'to the thread', { threadId: thread.id })).toMatchObject({
        kind: 'delivered',
        threadId: thread.id,
      });
      expect(await host.publish(channel, 'to the root', { threadId: null })).toMatchObject({ kind: 'delivered' });
      expect(standing(scene, thread)).toEqual(['in here!', 'to the thread']);
      expect(standing(scene, general)).not.toContain('to the thread');
      expect(standing(scene, general)).toContain('to the root');
    },
  );

  it('that the persona may not post in is said so, and nothing lands in its channel', async () => {
    const scene = await open();
    const { sandbox, general, alice, way, host } = scene;
    const thread = sandbox.startThread(general, 'aside', alice);
    await scene.quiet();
    way.relay.grant(way.persona, thread.id, ['VIEW_CHANNEL', 'READ_HISTORY']);
    const result = await host.publish(way.channelId(general), 'psst', { threadId: thread.id });
    expect(result).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('the relay does not let this persona do that'),
    });
    expect([...standing(scene, thread), ...standing(scene, general)]).not.toContain('psst');
  });

  it('that was started while nobody listened is read from its beginning', async () => {
    const scene = await open();
    const { sandbox, general, alice } = scene;
    await away(scene, () => {
      const thread = startThread(sandbox.world, general, 'aside', alice);
      sandbox.post(thread, alice, 'first');
      sandbox.post(thread, alice, 'second');
    });
    await vi.waitFor(async () => expect(scene.host.engine.unread('main')).toHaveLength(2), SOON);
    expect(await scene.reads()).toEqual(['alice: first', 'alice: second']);
  });
});

it('an image holds back what comes after it, and is shown', async () => {
  const scene = await open();
  const { sandbox, general, alice } = scene;
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  sandbox.post(general, alice, 'look', { files: [{ name: 'a.png', bytes: png, contentType: 'image/png' }] });
  sandbox.post(general, alice, 'nice?');
  await scene.quiet();
  expect(await scene.reads()).toEqual([expect.stringContaining('alice: look\n[image a.png]'), 'alice: nice?']);
});

it('two personas of a relay hear each other, and nobody hears himself', async () => {
  const scene = await open();
  const { general, way, host } = scene;
  const ada = way.relay.state.personas.create('Ada');
  const env = { ...way.env, PORTAL_PERSONA: ada.id, PORTAL_TOKEN: ada.token };
  const other = await openScene({ room: scene, way: { ...way, env, agent: way.relay.mentionOf(ada, general) } });
  await host.publish(way.channelId(general), 'I am the agent');
  await other.host.publish(way.channelId(general), 'I am Ada');
  await scene.quiet();
  await other.quiet();
  const { tags } = host.engine.unread('main')[0] ?? { tags: [] };
  expect(tags).toEqual(expect.arrayContaining(['chat:from-agent', 'chat:ambient', 'portal:persona']));
  expect((await scene.reads()).filter((line) => !line.includes('marker'))).toEqual(['Ada: I am Ada']);
  expect((await other.reads()).filter((line) => !line.includes('marker'))).toEqual(['agent: I am the agent']);
});

describe('what the relay keeps as unread', () => {
  it('is marked as read when the host of an open channel has it', async () => {
    const scene = await open();
    const { sandbox, general, alice, way } = scene;
    sandbox.post(general, alice, `${way.agent} hello`);
    await scene.quiet();
    const { readState } = way.relay.state;
    await vi.waitFor(() => expect(readState.pings(way.persona.id)).toEqual([]), SOON);
    expect(readState.unread(way.persona.id)).toEqual([]);
  });

  it('of a closed channel is marked as read when the agent has noticed it', async () => {
    const scene = await openScene({ platform: PORTAL, open: false });
    const { sandbox, general, alice, way, session } = scene;
    sandbox.post(general, alice, 'ambient');
    const message = sandbox.post(general, alice, `${way.agent} hello`);
    await scene.reports.of(way.eventId('create', message));
    expect(await scene.reads()).toEqual(['alice (1 message missed here): @portal-agent hello']);
    expect((await callTool(scene, 'get_pending_pings')).text).toContain(`${way.messageId(message)} in`);
    expect((await callTool(scene, 'channel_missed', { channelId: '#general' })).text).toContain('missed 1 message ');
    const acknowledged = await session.outgoing.acknowledge(way.channelId(general), way.messageId(message));
    expect(acknowledged).toMatchObject({ acknowledged: true, representation: '👀' });
    const { readState } = way.relay.state;
    await vi.waitFor(() => expect(readState.pings(way.persona.id)).toEqual([]), SOON);
    expect((await callTool(scene, 'list_unread')).text).toBe('nothing is unread');
  });
});

it('a channel that the agent subscribes to is heard though it is closed, until the host closes it', async () => {
  const scene = await openScene({ platform: PORTAL, open: false });
  const { sandbox, general, alice, way, session } = scene;
  const say = async (text: string) => {
    sandbox.post(general, alice, text);
    await scene.quiet();
  };
  await say('unheard');
  expect((await callTool(scene, 'subscribe_channel', { channelId: '#general' })).isError).toBe(false);
  await say('heard');
  expect((await callTool(scene, 'list_subscriptions')).text).toContain('closed, and subscribed; you miss nothing');
  await callTool(scene, 'unsubscribe_channel', { channelId: '#general' });
  await say('unheard again');
  await callTool(scene, 'subscribe_channel', { channelId: '#general' });
  await session.openChannel(way.channelId(general));
  await session.closeChannel(way.channelId(general));
  await say('and again');
  expect(await scene.reads()).toEqual(['alice: heard']);
});

it('a channel that the persona may not see any more is taken out, and goes on where it is given back', async () => {
  const scene = await open();
  const { sandbox, general, alice, way, session } = scene;
  const id = way.channelId(general);
  way.relay.grant(way.persona, general.id, []);
  await vi.waitFor(() => expect(session.channels.has(id)).toBe(false), SOON);
  way.relay.grant(way.persona, general.id, ['VIEW_CHANNEL', 'READ_HISTORY', 'SEND_MESSAGES']);
  await vi.waitFor(() => session.openChannel(id), SOON);
  sandbox.post(general, alice, 'back');
  await scene.quiet();
  expect(await scene.reads()).toEqual(['alice: back']);
});

it('a channel that a later relay did not even list is there when the persona may see it', async () => {
  const room = await openRoom();
  const way = await PORTAL_4.join(room);
  const secret = createChannel(room.sandbox.world, room.guild, 'secret');
  way.relay.grant(way.persona, secret.id, []);
  const scene = await openScene({ room, way });
  expect(scene.session.channels.has(way.channelId(secret))).toBe(false);
  way.relay.grant(way.persona, secret.id, ['VIEW_CHANNEL', 'READ_HISTORY']);
  await vi.waitFor(() => expect(scene.session.channels.get(way.channelId(secret))?.label).toBe('#secret (Home)'), SOON);
});

it('a relay that is away at the start keeps nobody waiting', async () => {
  const room = await openScene({ platform: PORTAL });
  const { way } = room;
  way.relay.accepts = false;
  const scene = await openScene({ room, way, registered: false, open: false });
  expect(await callTool(scene, 'list_guilds')).toMatchObject({ isError: true, text: /the relay is not there/ });
  expect(await callTool(scene, 'send_message', { channelId: '#general', content: 'x' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('there is no channel #general'),
  });
  way.relay.accepts = true;
  await vi.waitFor(() => scene.session.openChannel(way.channelId(room.general)), SOON);
});

it('a bridge whose host is gone ends, and its persona leaves', async () => {
  const way = await PORTAL.join(await openRoom());
  const bridge = node(PORTAL_BRIDGE, [], { ...way.env, MCPL_STORE: 'memory:' });
  await vi.waitFor(() => expect(way.relay.isPresent(way.persona)).toBe(true), SOON);
  bridge.endInput();
  expect(await bridge.exited).toBe(0);
  expect(way.relay.isPresent(way.persona)).toBe(false);
});

it('a new token is kept before it is used, for its owner alone, and the next start comes in by it', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'creds-')), 'agent.creds.json');
  const scene = await openScene({ platform: PORTAL, registered: false, open: false });
  const { way } = scene;
  const { id, token } = way.persona;
  writeFileSync(path, JSON.stringify({ personaId: id, token }));
  const { PORTAL_PERSONA: _persona, PORTAL_TOKEN: _token, ...rest } = way.env;
  const byFile = { ...way, env: { ...rest, PORTAL_CREDENTIALS: path } as PortalWay['env'] };
  const first = await openScene({ room: scene, way: byFile });
  expect(await callTool(first, 'rotate_token')).toMatchObject({ isError: false });
  expect(await callTool(scene, 'rotate_token')).toMatchObject({ isError: true, text: /PORTAL_TOKEN/ });
  const kept = JSON.parse(readFileSync(path, 'utf8'));
  expect([kept.personaId, kept.token === token, statSync(path).mode & 0o777]).toEqual([id, false, 0o600]);
  const again = await openScene({ room: scene, way: byFile });
  await again.quiet();
  expect(`${first.stderr()}${again.stderr()}`).not.toContain(kept.token);
});

it('one host with both bridges hears each channel twice, under names that are never the same', async () => {
  const scene = await open();
  const both = await openScene({ room: scene, host: scene.host });
  const { sandbox, general, alice } = scene;
  sandbox.post(general, alice, 'hello');
  await scene.quiet();
  await both.quiet();
  const lines = (await scene.reads()).filter((line) => !line.includes('marker'));
  expect(lines).toEqual(['alice: hello', 'alice: hello']);
  const ids = scene.reports.all.map(({ eventId }) => eventId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(scene.session.channels.all().filter(({ id }) => both.session.channels.has(id))).toEqual([]);
});
