import { expect, it, vi } from 'vitest';
import { initialize, rawHost } from '../helpers/raw-host.js';
import { mcplId, openRoom } from '../helpers/scene.js';

interface Told {
  readonly content: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

it('a host without MCPL is told what happens by channel notifications, where the operator wants that', async () => {
  const room = await openRoom();
  const { sandbox, general, alice, bot } = room;
  const host = rawHost(room, { DISCORD_CLAUDE_CHANNEL: 'on', MCPL_STORE: 'memory:' });
  const { capabilities, instructions } = await initialize(host, {});
  expect(capabilities).toEqual({ tools: { listChanged: true }, experimental: { 'claude/channel': {} } });
  expect(instructions).toMatch(/reply_message/);
  await vi.waitFor(() => expect(host.bridge.stderr()).toContain('connected to Discord'), 10_000);
  sandbox.post(general, alice, 'among others');
  const message = sandbox.post(general, alice, `<@${bot.user.id}> deploy at 5`);
  const told = () => host.asked('notifications/claude/channel').map(({ params }) => params as unknown as Told);
  await vi.waitFor(() => expect(told()).toHaveLength(1), 10_000);
  sandbox.edit(general, message, `<@${bot.user.id}> deploy at 6`);
  await vi.waitFor(() => expect(told()).toHaveLength(2), 10_000);
  sandbox.delete(general, message);
  await vi.waitFor(() => expect(told()).toHaveLength(3), 10_000);
  expect(told().map(({ content }) => content)).toEqual([
    '[#general (Home)] alice (1 message missed here): @agent deploy at 5',
    '[#general (Home)] alice (edited): @agent deploy at 6',
    `[message deleted] ${message.id} by alice`,
  ]);
  expect(told()[0]?.meta).toMatchObject({
    channel_id: mcplId(general),
    message_id: message.id,
    user: 'alice',
    user_id: alice.id,
  });
  // Attributes whose names are no identifiers, or whose values are no texts, are dropped by such hosts.
  for (const [name, value] of told().flatMap(({ meta }) => Object.entries(meta)))
    expect([name, typeof value]).toEqual([expect.stringMatching(/^\w+$/), 'string']);

  const reply = { channelId: told()[0]?.meta.channel_id, messageId: message.id, content: 'noted' };
  host.send({ id: 2, method: 'tools/call', params: { name: 'reply_message', arguments: reply } });
  expect((await host.answer(2)).result).toMatchObject({ structuredContent: { messageIds: [expect.any(String)] } });
  expect(sandbox.history(general).at(-1)?.content).toBe('noted');
});
