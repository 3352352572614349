import { createChannel, pinMessage } from '@mcpl-bridges/sandbox';
import { expect, it, vi } from 'vitest';
import { callTool } from '../helpers/call-tool.js';
import { openScene } from '../helpers/scene.js';
import { open, SOON } from './support.js';

it('tools say what there is on the relay, and who is there', async () => {
  const scene = await open();
  const { sandbox, guild, general, alice, bob, way } = scene;
  guild.properties.emojis = [{ id: '77', name: 'wave' }] as never;
  const message = sandbox.post(general, alice, 'keep this');
  pinMessage(sandbox.world, general, message, true);
  const answer = async (name: string, args: Record<string, unknown> = {}) => (await callTool(scene, name, args)).text;
  const guildId = guild.id;
  expect(await answer('list_guilds')).toBe(`${guildId} Home`);
  expect(await answer('list_members', { guildId, query: 'o' })).toBe(`${bob.id} bob`);
  expect(await answer('resolve_mentions', { guildId, handles: ['Alice', 'nobody'] })).toBe(
    `Alice: ${alice.id}\nnobody: unknown`,
  );
  expect(await answer('list_roles', { guildId })).toContain('portal-agent (an agent)');
  expect(await answer('list_emojis')).toBe('<:wave:77> :wave:');
  expect(await answer('list_pins', { channelId: '#general' })).toMatch(
    new RegExp(`^${way.messageId(message)} .* alice: keep this$`),
  );
  expect(await answer('list_channels')).toBe(`portal:${general.id} #general (Home)`);
  const made = await callTool(scene, 'create_thread', { channelId: '#general', name: 'aside' });
  await vi.waitFor(async () => expect(await answer('list_channels', { query: 'aside' })).toContain('› aside'), SOON);
  const threadId = String(made.data?.channelId);
  await callTool(scene, 'send_message', { channelId: threadId, content: 'in here' });
  expect(await answer('fetch_history', { channelId: '#general › aside (Home)' })).toMatch(/agent: in here$/);
  expect(await answer('delete_channel', { channelId: threadId })).toContain('does not let this persona do that');
  expect(await answer('list_members', { guildId: '1' })).toBe(
    'there is no such thing on the relay any more: guild not found',
  );
});

it('messages are found by their place in the talk, and in the talk around one', async () => {
  const scene = await open();
  const { sandbox, general, alice, way } = scene;
  const messages = Array.from({ length: 30 }, (_, n) => sandbox.post(general, alice, `message ${n}`));
  await scene.quiet();
  const texts = ({ data }: { data: Record<string, unknown> | undefined }) =>
    (data as { messages: { text: string }[] }).messages.map(({ text }) => text);
  const middle = way.messageId(messages[15] as never);
  const around = await callTool(scene, 'fetch_around', { channelId: '#general', messageId: middle, limit: 5 });
  expect(texts(around)).toEqual([13, 14, 15, 16, 17].map((n) => `message ${n}`));
  const before = await callTool(scene, 'fetch_history', { channelId: '#general', before: middle, limit: 2 });
  expect(texts(before)).toEqual(['message 13', 'message 14']);
  expect(await callTool(scene, 'fetch_history', { channelId: '#general', before: 'yesterday' })).toMatchObject({
    isError: true,
    text: 'yesterday is no message id; use one as in fetch_history',
  });
});

it('an agent lets another one into a channel, and no further than it may go itself', async () => {
  const scene = await open();
  const { sandbox, guild, general, way } = scene;
  const aside = createChannel(sandbox.world, guild, 'aside');
  const ada = way.relay.state.personas.create('Ada', []);
  const env = { ...way.env, PORTAL_PERSONA: ada.id, PORTAL_TOKEN: ada.token };
  const other = await openScene({ room: scene, way: { ...way, env }, registered: false, open: false });
  await vi.waitFor(() => expect(other.stderr()).toContain(way.arrival), SOON);
  const mint = (capabilities: string[]) =>
    callTool(scene, 'mint_invite', { guildId: guild.id, channelIds: ['#general'], capabilities });
  expect((await mint(['MANAGE_CHANNELS'])).text).toContain('does not let this persona do that');
  const { data } = await mint(['VIEW_CHANNEL', 'READ_HISTORY']);
  expect(await callTool(other, 'claim_invite', { code: String(data?.code) })).toMatchObject({ isError: false });
  await vi.waitFor(() => expect(other.session.channels.has(way.channelId(general))).toBe(true), SOON);
  expect(other.session.channels.has(way.channelId(aside))).toBe(false);
  expect((await callTool(other, 'claim_invite', { code: String(data?.code) })).isError).toBe(true);
});

it('a mark is set and taken back as far as it is asked for', async () => {
  const scene = await open();
  const { sandbox, general, alice, way } = scene;
  const message = sandbox.post(general, alice, 'nice?');
  await scene.quiet();
  const messageId = way.messageId(message);
  const marks = () => sandbox.world.reactions.get(message.id)?.map(({ emoji }) => emoji.name) ?? [];
  await callTool(scene, 'react', { messageId, emoji: '👍' });
  expect(marks()).toEqual([]);
  await callTool(scene, 'react', { messageId, emoji: '👍', native: true });
  expect(marks()).toEqual(['👍']);
  expect(await callTool(scene, 'unreact', { messageId, emoji: '👍', native: true })).toMatchObject({ isError: false });
  expect(marks()).toEqual([]);
  expect((await callTool(scene, 'react', { messageId: 'rm_1_2', emoji: '👍' })).text).toContain(
    'there is no such thing on the relay any more',
  );
});
