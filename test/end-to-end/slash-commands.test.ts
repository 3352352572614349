import { type Channel, giveCommand, type User } from '@mcpl-bridges/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { initialize, type RawHost, rawHost } from '../helpers/raw-host.js';
import { mcplId, openRoom, type Room } from '../helpers/scene.js';

interface Commanded extends Room {
  readonly host: RawHost;
  give(user: User, name: string, options?: Record<string, string | number>): ReturnType<typeof giveCommand>;
  /** Answers the host's next command with `result`, once it has come; what it asked for. */
  serve(answer: Record<string, unknown>): Promise<unknown>;
}

/** Alice may give commands. */
const commanded = async (env: Record<string, string> = {}): Promise<Commanded> => {
  const room = await openRoom();
  const host = rawHost(room, { DISCORD_ADMIN_USERS: room.alice.id, ...env });
  await initialize(host);
  const offered = () => expect(room.sandbox.world.commands.get(room.guild.id)).toBeDefined();
  await vi.waitFor(offered, 10_000);
  let served = 0;
  return {
    ...room,
    host,
    give: (user, name, options) => giveCommand(room.sandbox.world, room.bot, room.general, user, name, options),
    serve: async (answer) => {
      const asked = await vi.waitFor(() => {
        const [request] = host.asked('host/command').slice(served);
        if (!request) throw new Error('nothing was asked of the host');
        return request;
      }, 10_000);
      served += 1;
      host.send({ id: asked.id, ...answer });
      return asked.params;
    },
  };
};

const answered = (interaction: ReturnType<typeof giveCommand>) =>
  vi.waitFor(() => {
    if (interaction.answer.kind !== 'answered') throw new Error(`the answer is ${interaction.answer.kind}`);
    return interaction.answer;
  }, 10_000);

const textsIn = (room: Room, channel: Channel) => room.sandbox.history(channel).map(({ content }) => content);

describe('slash commands', () => {
  it('are offered in every server, and their words reach the host', async () => {
    const scene = await commanded();
    const { alice, general, guild, sandbox } = scene;
    const names = sandbox.world.commands.get(guild.id)?.map(({ name }) => name);
    expect(names).toEqual(['undo', 'hide', 'nudge', 'unstick']);
    const by = { requesterId: alice.id, requesterName: 'alice' };

    const undo = scene.give(alice, 'undo', { messages: 2 });
    const lastVisible = { participant: 'bob', preview: 'hello\n@everyone' };
    expect(await scene.serve({ result: { ok: true, messagesRemoved: 2, lastVisible } })).toEqual({
      command: 'undo',
      messages: 2,
      ...by,
    });
    const words = "2 messages are out of the agent's context.\nThe newest it sees: bob: hello @everyone";
    expect(await answered(undo)).toMatchObject({ content: words, isEphemeral: false });
    expect(textsIn(scene, general)).toEqual([words]);

    const unstick = scene.give(alice, 'unstick');
    expect(await scene.serve({ result: { ok: true, started: true, cap: 4 } })).toEqual({
      command: 'unstick',
      channelId: general.id,
      ...by,
    });
    expect((await answered(unstick)).content).toMatch(/^The agent goes back and tries again, 4 times at most/);

    const nudge = scene.give(alice, 'nudge');
    expect(await scene.serve({ result: { ok: true, agentStatus: 'idle' } })).toEqual({ command: 'nudge', ...by });
    expect(await answered(nudge)).toMatchObject({ content: 'The agent takes a turn now.', isEphemeral: true });
    expect(textsIn(scene, general)).toHaveLength(2);
  });

  it('mark what the agent does not see any more', async () => {
    const scene = await commanded();
    const { sandbox, general, alice, bob, bot } = scene;
    const first = sandbox.post(general, bob, 'one');
    const second = sandbox.post(general, bob, 'two');
    const hide = scene.give(alice, 'hide', { message: `https://discord.com/channels/1/2/${first.id}`, to: second.id });
    const hiddenRefs = [
      { channelId: mcplId(general), messageId: first.id },
      { channelId: general.id, messageId: second.id },
    ];
    expect(await scene.serve({ result: { ok: true, hidden: 2, hiddenRefs } })).toMatchObject({
      command: 'hide',
      fromMessageId: first.id,
      toMessageId: second.id,
    });
    expect((await answered(hide)).content).toBe("2 messages are out of the agent's context.");
    const marks = (id: string) => sandbox.world.reactions.get(id)?.map(({ emoji, users }) => [emoji.name, [...users]]);
    expect([marks(first.id), marks(second.id)]).toEqual([[['💤', [bot.user.id]]], [['💤', [bot.user.id]]]]);
  });

  it('that go wrong say so to whoever gave them', async () => {
    const scene = await commanded();
    const { alice, bob } = scene;
    expect(await answered(scene.give(bob, 'undo'))).toEqual({
      kind: 'answered',
      isEphemeral: true,
      content: "Only this bot's administrators may use /undo.",
    });
    expect(await answered(scene.give(alice, 'hide', { message: 'that' }))).toMatchObject({
      content: '`that` is no message: copy its link, or its id.',
      isEphemeral: true,
    });
    const refused = scene.give(alice, 'undo');
    await scene.serve({ result: { ok: false, error: 'a turn is running' } });
    expect((await answered(refused)).content).toBe('/undo did not work: a turn is running');
    const unknown = scene.give(alice, 'nudge');
    await scene.serve({ error: { code: -32601, message: 'Method not found: host/command' } });
    expect((await answered(unknown)).content).toBe('/nudge did not work: this host takes no commands');
  });

  it('say when no host is there that could do it', async () => {
    const room = await openRoom();
    const host = rawHost(room, { DISCORD_ADMIN_USERS: room.alice.id });
    await initialize(host, {});
    await vi.waitFor(() => expect(room.sandbox.world.commands.get(room.guild.id)).toBeDefined(), 10_000);
    const undo = giveCommand(room.sandbox.world, room.bot, room.general, room.alice, 'undo');
    expect((await answered(undo)).content).toBe('/undo did not work: no MCPL host is connected');
  });
});
