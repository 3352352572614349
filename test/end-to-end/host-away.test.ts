import { Host, OccurrenceReports, whenRegistered } from '@mcpl-bridges/host';
import { dialWebSocket } from '@mcpl-bridges/transport';
import { expect, it, vi } from 'vitest';
import { BRIDGE, node } from '../helpers/programs.js';
import { eventIdOf, mcplId, openRoom, TOKEN } from '../helpers/scene.js';

const SILENT = { name: 'silent', respond: async () => undefined };

it('a host that was away learns the channels anew, then everything in order, and nothing that came to nothing', async () => {
  const room = await openRoom();
  const { sandbox, general, alice, bob } = room;
  const bridge = node(BRIDGE, ['--listen', '127.0.0.1:0'], {
    DISCORD_TOKEN: TOKEN,
    DISCORD_API_BASE: sandbox.apiBase,
    DISCORD_SOURCE_HEADER: 'never',
    MCPL_STORE: 'memory:',
    MCPL_LISTEN_TOKEN: 'hush',
  });
  const port = await vi.waitFor(() => {
    const [, found] = /"port":(\d+)/.exec(bridge.stderr()) ?? [];
    if (!found) throw new Error('it does not listen yet');
    return found;
  }, 10_000);
  const host = new Host();
  const reports = new OccurrenceReports(host);
  const join = async () => {
    const transport = await dialWebSocket(`ws://127.0.0.1:${port}`, { token: 'hush' });
    const session = await host.connect(transport, { serverId: 'discord', endpoint: 'discord-mcpl' });
    await whenRegistered(host, session, mcplId(general));
    return session;
  };
  const session = await join();
  await session.openChannel(mcplId(general));
  const [first, second] = [sandbox.post(general, alice, 'one'), sandbox.post(general, bob, 'two')];
  for (const message of [first, second]) await reports.of(eventIdOf.create(message));
  await host.turn(SILENT);
  await session.close();

  for (let n = 3; n < 300; n++) sandbox.post(general, n % 2 ? alice : bob, `message ${n}`);
  sandbox.edit(general, first, 'one!');
  sandbox.delete(general, second);
  const nothing = sandbox.post(general, alice, 'never mind');
  sandbox.delete(general, nothing);
  const last = sandbox.post(general, bob, 'last');
  const again = await join();
  expect(again.channels.has(mcplId(general))).toBe(true);
  await reports.of(eventIdOf.create(last));
  await reports.of(eventIdOf.delete(second));
  const expected = Array.from({ length: 297 }, (_, i) => `${(i + 3) % 2 ? 'alice' : 'bob'}: message ${i + 3}`);
  const news = [...expected, 'alice (edited): one!', `[message deleted] ${second.id} by bob`, 'bob: last'];
  // What the bridge had not heard yet when the host came back is taken back in a moment.
  const unread = () => host.engine.unread('main').flatMap(({ content }) => content);
  await vi.waitFor(() => expect(unread()).toHaveLength(news.length), 10_000);
  const { context } = await host.turn(SILENT);
  expect(context).toEqual(['alice: one', 'bob: two', ...news]);
  await host.close();
});
