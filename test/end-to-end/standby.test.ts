import { describe, expect, it, vi } from 'vitest';
import { BRIDGE, node } from '../helpers/programs.js';
import { initialize, type RawHost, rawHost } from '../helpers/raw-host.js';
import { bindingOfOurOwn } from '../helpers/redis-binding.js';
import { eventIdOf, openRoom, type Room, TOKEN } from '../helpers/scene.js';

const SOON = { timeout: 15_000, interval: 50 };

const says = (host: RawHost, what: string) => vi.waitFor(() => expect(host.bridge.stderr()).toContain(what), SOON);

/** Grants everything, takes every channel and every occurrence. */
const welcome = async (host: RawHost): Promise<string[]> => {
  host.send({
    id: 2,
    method: 'featureSets/update',
    params: { effectiveCapabilities: ['tools', 'pushEvents', 'channels.*'] },
  });
  await host.answer(2);
  const answered = new Set<unknown>();
  const taken: string[] = [];
  const answerAll = (): void => {
    for (const { id, params } of host.asked('channels/register')) {
      if (answered.has(id)) continue;
      answered.add(id);
      const { channels } = params as { channels: { id: string }[] };
      host.send({ id, result: { results: channels.map((one) => ({ id: one.id, accepted: true })) } });
    }
    for (const { id, params } of host.asked('push/event')) {
      if (answered.has(id)) continue;
      answered.add(id);
      taken.push((params as { eventId: string }).eventId);
      host.send({ id, result: { accepted: true } });
    }
  };
  const timer = setInterval(answerAll, 20);
  void host.bridge.exited.then(() => clearInterval(timer));
  return taken;
};

/** An active instance that has a message which its host does not take, and one that stands by. */
const two = async (room: Room) => {
  const { env, waiting } = bindingOfOurOwn();
  const active = rawHost(room, env);
  await initialize(active);
  await says(active, 'connected to Discord');
  const standby = rawHost(room, env);
  expect(await initialize(standby)).toMatchObject({ serverInfo: { name: 'discord-mcpl' } });
  await says(standby, 'another instance is active: this one stands by');
  const message = room.sandbox.post(room.general, room.alice, `<@${room.bot.user.id}> hello`);
  await vi.waitFor(async () => expect(await waiting()).toBe(1), SOON);
  return { active, standby, message, waiting };
};

describe('a bridge that stands by', () => {
  it('greets its host, takes over within the lease from one that died, and says under the same id what that one could not', async () => {
    const room = await openRoom();
    const { active, standby, message, waiting } = await two(room);
    const taken = await welcome(standby);
    expect(standby.bridge.stderr()).not.toContain('connected to Discord');
    active.bridge.kill('SIGKILL');
    await says(standby, 'connected to Discord');
    await vi.waitFor(() => expect(taken).toEqual([eventIdOf.create(message)]), SOON);
    await vi.waitFor(async () => expect(await waiting()).toBe(0), SOON);
    const next = room.sandbox.post(room.general, room.alice, `<@${room.bot.user.id}> and now`);
    await vi.waitFor(() => expect(taken).toEqual([eventIdOf.create(message), eventIdOf.create(next)]), SOON);
  });

  it('takes over from one that only slept; that one ends when it wakes, says why, and sends nothing', async () => {
    const room = await openRoom();
    const { active, standby, message } = await two(room);
    active.bridge.kill('SIGSTOP');
    const taken = await welcome(standby);
    await vi.waitFor(() => expect(taken).toEqual([eventIdOf.create(message)]), SOON);
    const sleeping = welcome(active);
    active.bridge.kill('SIGCONT');
    expect(await active.bridge.exited).toBe(1);
    expect(active.bridge.stderr().trim().split('\n').at(-1)).toMatch(
      /^discord-mcpl: another instance works with this store now: /,
    );
    await Promise.race([sleeping, active.bridge.exited]);
    expect(active.asked('push/event')).toEqual([]);
  });

  it.each([
    ['is asked to stop', (host: RawHost) => host.bridge.kill('SIGTERM')],
    ['loses its host', (host: RawHost) => host.bridge.endInput()],
  ])('ends when it %s', async (_what, end) => {
    const { standby } = await two(await openRoom());
    end(standby);
    expect(await standby.bridge.exited).toBe(0);
  });

  it('is no mistake to --check', async () => {
    const room = await openRoom();
    const { env } = bindingOfOurOwn();
    const active = rawHost(room, env);
    await says(active, 'connected to Discord');
    const check = node(BRIDGE, ['--check'], { ...env, DISCORD_TOKEN: TOKEN, DISCORD_API_BASE: room.sandbox.apiBase });
    expect(await check.exited).toBe(0);
    expect(check.stderr()).toContain('ok      store; another instance is active, and this one would stand by');
  });
});
