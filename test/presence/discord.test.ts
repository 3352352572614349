import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  addMember,
  ChannelType,
  createChannel,
  joinThread,
  leaveThread,
  removeMember,
  setOverwrite,
  setPresence,
  setVoice,
  startThread,
  startTyping,
} from '@mcpl-bridges/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { openRoom } from '../helpers/scene.js';
import { entryOf, openPresence, type Payload, presencePath, SOON } from './support.js';

const openHouse = async (env: Record<string, string> = {}) => {
  const room = await openRoom();
  setPresence(room.sandbox.world, room.alice, 'online');
  const scene = await openPresence({ room, env: { MCPL_PRESENCE_REFS: 'raw', ...env } });
  const channel = scene.way.channelId(room.general);
  const visible = (name: string, id = channel) =>
    vi.waitFor(async () => expect((await scene.get(presencePath(id), name)).status).toBe(200), SOON);
  await visible('alice');
  const agent = `agent:${room.bot.user.id}`;
  const [alice, bob] = [room.alice, room.bob].map(({ id }) => `user:${id}`) as [string, string];
  return { ...scene, channel, visible, refs: { agent, alice, bob } };
};

const settles = (seen: readonly Payload[], present: readonly string[], typing: readonly string[] = []) =>
  vi.waitFor(() => expect(seen.at(-1)).toMatchObject({ present: [...present].sort(), typing }), SOON);

describe('presence from Discord', () => {
  it('is who is online and who types, as Discord says it', async () => {
    const { sandbox, general, bob, channel, watch, refs } = await openHouse();
    const { seen } = watch('alice', channel);
    await settles(seen, [refs.agent, refs.alice]);
    startTyping(sandbox.world, general, bob.id);
    await settles(seen, [refs.agent, refs.alice, refs.bob], [refs.bob]);
    setPresence(sandbox.world, bob, 'dnd');
    sandbox.post(general, bob, 'hello');
    await settles(seen, [refs.agent, refs.alice, refs.bob]);
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(seen.length);
  });

  it('is in a voice channel who talks there, and in a thread who has joined it', async () => {
    const { sandbox, guild, general, alice, bob, way, watch, visible, refs } = await openHouse();
    const { world } = sandbox;
    const lounge = createChannel(world, guild, 'lounge', ChannelType.GuildVoice);
    const thread = sandbox.startThread(general, 'aside', alice);
    await visible('alice', way.channelId(lounge));
    const loud = watch('alice', way.channelId(lounge)).seen;
    setVoice(world, guild, bob, lounge);
    await settles(loud, [refs.agent, refs.alice, refs.bob]);
    setPresence(world, bob, 'online');
    const threadId = `discord:${guild.id}:${thread.id}`;
    await visible('alice', threadId);
    const aside = watch('alice', threadId).seen;
    await settles(aside, [refs.agent, refs.alice]);
    joinThread(world, thread, bob);
    await settles(aside, [refs.agent, refs.alice, refs.bob]);
    leaveThread(world, thread, alice);
    await settles(aside, [refs.agent, refs.bob]);
  });

  it('is, in a private thread, for who was added to it', async () => {
    const { sandbox, general, alice, bob, bot, way, watch, visible, get, refs } = await openHouse();
    const { world } = sandbox;
    setPresence(world, bob, 'online');
    const thread = startThread(world, general, 'secret', alice, undefined, ChannelType.PrivateThread);
    joinThread(world, thread, bot.user);
    const id = `discord:${general.guild_id}:${thread.id}`;
    await visible('alice', id);
    const { seen } = watch('alice', id);
    // Alice owns the server, and may manage threads; Bob may see the channel around it, and was not added.
    await settles(seen, [refs.agent, refs.alice]);
    expect((await get(presencePath(id), 'bob')).status).toBe(403);
    startTyping(world, thread, bob.id);
    joinThread(world, thread, bob);
    await settles(seen, [refs.agent, refs.alice, refs.bob], [refs.bob]);
    await visible('bob', id);
    leaveThread(world, thread, bob);
    await settles(seen, [refs.agent, refs.alice]);
    expect((await get(presencePath(id), 'bob')).status).toBe(403);
    expect(way.isConnected()).toBe(true);
  });

  it('ends for who is removed, and names them to nobody any more', async () => {
    const { sandbox, guild, bob, channel, watch, get, refs } = await openHouse();
    setPresence(sandbox.world, bob, 'online');
    const [mine, theirs] = [watch('alice', channel), watch('bob', channel)];
    await settles(mine.seen, [refs.agent, refs.alice, refs.bob]);
    removeMember(sandbox.world, guild, bob);
    await settles(mine.seen, [refs.agent, refs.alice]);
    const until = theirs.seen.length;
    await vi.waitFor(() => expect(theirs.failures).toContain(403), SOON);
    expect(theirs.seen).toHaveLength(until);
    expect((await get(presencePath(channel), 'bob')).status).toBe(403);
  });

  it('ends for all who may not see a channel that goes private, and names them no more', async () => {
    const { sandbox, guild, general, bob, channel, watch, refs } = await openHouse();
    setPresence(sandbox.world, bob, 'online');
    const [mine, theirs] = [watch('alice', channel), watch('bob', channel)];
    await settles(mine.seen, [refs.agent, refs.alice, refs.bob]);
    setOverwrite(sandbox.world, general, { id: bob.id, type: 1 }, { deny: ['ViewChannel'] });
    startTyping(sandbox.world, general, bob.id);
    await settles(mine.seen, [refs.agent, refs.alice]);
    await vi.waitFor(() => expect(theirs.failures).toContain(403), SOON);
    expect(guild.members.has(bob.id)).toBe(true);
  });

  it('is told in opaque names that nobody can undo, the same after a restart', async () => {
    const first = await openHouse({ MCPL_PRESENCE_REFS: 'opaque', MCPL_PRESENCE_KEY: 'a key of sixteen characters' });
    const { seen } = first.watch('alice', first.channel);
    await vi.waitFor(() => expect(seen.at(-1)?.present).toHaveLength(2), SOON);
    const ref = seen.at(-1)?.present.find((one) => one.startsWith('user:'));
    expect(ref).toMatch(/^user:[\w-]{22}$/);
    expect(JSON.stringify(seen)).not.toContain(first.alice.id);
    await first.bridge.stop();
    const again = await openPresence({
      room: first,
      env: { MCPL_PRESENCE_KEY: 'a key of sixteen characters' },
    });
    const later = again.watch('alice', first.channel).seen;
    await vi.waitFor(() => expect(later.at(-1)?.present).toContain(ref), SOON);
  });

  it('is known anew in a new session: who left meanwhile is gone, from a private thread, too', async () => {
    const { sandbox, guild, general, alice, bob, bot, way, channel, visible, watch, get, refs } = await openHouse();
    const { world } = sandbox;
    const cara = world.createUser('cara');
    addMember(world, guild, cara);
    for (const one of [bob, cara]) setPresence(world, one, 'online');
    const thread = startThread(world, general, 'secret', alice, undefined, ChannelType.PrivateThread);
    for (const one of [bot.user, bob]) joinThread(world, thread, one);
    const secret = `discord:${guild.id}:${thread.id}`;
    await visible('bob', secret);
    const { seen, failures } = watch('alice', channel);
    await settles(seen, [refs.agent, refs.alice, refs.bob, `user:${cara.id}`]);
    way.endSession();
    removeMember(world, guild, cara);
    leaveThread(world, thread, bob);
    await settles(seen, [refs.agent, refs.alice, refs.bob]);
    expect(failures).toEqual([]);
    expect((await get(presencePath(secret), 'bob')).status).toBe(403);
    await visible('alice', secret);
  });

  it('knows tokens as the file has them now', async () => {
    const { bob, channel, folder, setTokens, get, watch, stderr } = await openHouse();
    const { failures } = watch('alice', channel);
    setTokens([entryOf('bob', { user: bob.id })]);
    await vi.waitFor(() => expect(failures).toContain(401), SOON);
    expect((await get(presencePath(channel), 'bob')).status).toBe(200);
    writeFileSync(join(folder, 'tokens.json'), '{"tokens":[{"sha256":"no"}]}');
    await vi.waitFor(() => expect(stderr()).toContain('the tokens of presence stay as they are'), SOON);
    expect((await get(presencePath(channel), 'bob')).status).toBe(200);
  });
});
