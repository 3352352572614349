import {
  CallRefused,
  CallUnknown,
  dialNode,
  type Login,
  PortalClient,
  type PortalEvent,
} from '@mcpl-bridges/portal-client';
import {
  type Channel,
  createChannel,
  createGuild,
  PortalRelay,
  type RelayPersona,
  Sandbox,
  updateChannel,
} from '@mcpl-bridges/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';

const SOON = { timeout: 10_000, interval: 10 };

/** A local Discord with a relay on it, alice, and a channel. */
const openRelay = async () => {
  const sandbox = await Sandbox.start();
  afterThisTest(() => sandbox.close());
  const { world } = sandbox;
  const bot = world.createBot('relay', 'token');
  const alice = world.createUser('alice');
  const guild = createGuild(world, 'Home', alice, [bot.user]);
  const general = createChannel(world, guild, 'general');
  const relay = await PortalRelay.start(world, bot);
  afterThisTest(() => relay.close());
  return { sandbox, world, alice, guild, general, relay };
};

type Scene = Awaited<ReturnType<typeof openRelay>>;

const loginOf = ({ id, token }: RelayPersona): Login => ({
  kind: 'credentials',
  credentials: { personaId: id, token },
});

const connect = async ({ relay }: Scene, login: Login, hears: readonly Channel[] = []) => {
  const events: PortalEvent[] = [];
  const entered: string[] = [];
  const refused: string[] = [];
  const kept: unknown[] = [];
  const client: PortalClient = new PortalClient({
    url: relay.url,
    login,
    dial: dialNode,
    keep: (credentials) => kept.push(credentials),
    random: () => 0.01,
    on: {
      entered: (how) => entered.push(how),
      event: (event, seq) => {
        events.push(event);
        client.handled(seq);
      },
      refused: (reason) => refused.push(reason),
    },
  });
  afterThisTest(() => client.stop());
  for (const { id } of hears) client.subscribe(id).catch(() => {});
  client.start();
  const isIn = (times = 1) => vi.waitFor(() => expect(entered).toHaveLength(times), SOON);
  const told = () =>
    events.flatMap((event) => ('message' in event ? [`${event.type} ${event.message.cleanContent}`] : [event.type]));
  const hasHeard = (lines: readonly string[]) => vi.waitFor(() => expect(told()).toEqual(lines), SOON);
  return { client, events, entered, refused, kept, isIn, told, hasHeard };
};

const ada = async (scene: Scene) => {
  const persona = scene.relay.state.personas.create('Ada');
  const visitor = await connect(scene, loginOf(persona), [scene.general]);
  await visitor.isIn();
  return { persona, ...visitor };
};

/** Nobody comes back until the relay accepts anybody again. */
const goAway = (relay: PortalRelay, persona: RelayPersona) => {
  relay.accepts = false;
  relay.drop();
  return vi.waitFor(() => expect(relay.isPresent(persona)).toBe(false), SOON);
};

describe('a persona on a relay', () => {
  it('is made by an invitation, once, and comes back by its credentials', async () => {
    const scene = await openRelay();
    const { code } = scene.relay.state.personas.invite(1);
    const first = await connect(scene, { kind: 'invite', invite: code, desiredName: 'Ada' });
    await first.isIn();
    expect(first.kept).toHaveLength(1);
    scene.relay.restart();
    await first.isIn(2);
    expect([first.entered, scene.relay.state.personas.all.size]).toEqual([['anew', 'anew'], 1]);
    const second = await connect(scene, { kind: 'invite', invite: code, desiredName: 'Eve' });
    await vi.waitFor(() => expect(second.refused).toEqual(['invite exhausted']), SOON);
    expect(second.client.phase.kind).toBe('refused');
  });

  it('hears the others, people and personas, and not itself', async () => {
    const scene = await openRelay();
    const { sandbox, general, alice } = scene;
    const one = await ada(scene);
    const ben = scene.relay.state.personas.create('Ben');
    const other = await connect(scene, loginOf(ben), [general]);
    await other.isIn();
    sandbox.post(general, alice, 'hello');
    const sent = await one.client.call('send_message', { channelId: general.id, content: 'hi, alice' });
    await other.client.call('send_message', {
      channelId: general.id,
      content: 'hi',
      mentionPersonaIds: [one.persona.id],
    });
    await one.hasHeard(['message_create hello', 'message_create @portal-Ada hi']);
    await other.hasHeard(['message_create hello', 'message_create hi, alice']);
    expect(one.events[1]).toMatchObject({
      addressedToMe: true,
      reasons: ['role_mention'],
      message: { author: { kind: 'persona', personaId: ben.id } },
    });
    expect(sent.messageId).toMatch(new RegExp(`^rm_${general.id}_\\d+$`));
    await one.client.call('edit_message', { messageId: sent.messageId, content: 'hi, Alice' });
    await expect(other.client.call('edit_message', { messageId: sent.messageId, content: 'x' })).rejects.toThrow(
      new CallRefused('edit_message', 'FORBIDDEN', 'not your message'),
    );
    expect(sandbox.history(general).map(({ content }) => content)).toContain('hi, Alice');
    expect(other.told()).toHaveLength(2);
  });

  it('reads a thread under its parent, and posts into it by its own id', async () => {
    const scene = await openRelay();
    const { sandbox, general, alice } = scene;
    const { client, events, hasHeard } = await ada(scene);
    const thread = sandbox.startThread(general, 'aside', alice);
    sandbox.post(thread, alice, 'in here');
    await hasHeard(['thread_create', 'message_create in here']);
    expect(events[1]).toMatchObject({ message: { channelId: general.id, threadId: thread.id } });
    const { messageId } = await client.call('send_message', { channelId: thread.id, content: 'here, too' });
    expect(messageId).toMatch(new RegExp(`^rm_${thread.id}_`));
    expect(sandbox.history(thread).map(({ content }) => content)).toEqual(['in here', 'here, too']);
    expect(sandbox.history(general)).toEqual([]);
  });

  it('is told of edits and previews alike, of one deletion, and of none of many at once', async () => {
    const scene = await openRelay();
    const { sandbox, general, alice } = scene;
    const { events, hasHeard } = await ada(scene);
    const message = sandbox.post(general, alice, 'one');
    sandbox.unfurl(general, message, { type: 'link', title: 'x' });
    sandbox.edit(general, message, 'two');
    sandbox.delete(general, message);
    const [a, b] = [sandbox.post(general, alice, 'a'), sandbox.post(general, alice, 'b')];
    sandbox.bulkDelete(general, [a.id, b.id]);
    sandbox.post(general, alice, 'last');
    await hasHeard([
      'message_create one',
      'message_update one',
      'message_update two',
      'message_delete',
      'message_create a',
      'message_create b',
      'message_create last',
    ]);
    expect(events[3]).toMatchObject({ messageId: `rm_${general.id}_${message.id}` });
    expect(events[2]).not.toMatchObject({ message: { editedAt: expect.anything() } });
  });

  it('is told of the deletion of a message that nobody here has seen by its bare id', async () => {
    const scene = await openRelay();
    const { sandbox, general, alice } = scene;
    await scene.relay.close();
    const old = sandbox.post(general, alice, 'before there was a relay');
    const bot = scene.world.bots.get('token');
    if (!bot) throw new Error('there is a bot');
    const relay = await PortalRelay.start(scene.world, bot);
    afterThisTest(() => relay.close());
    const { events, hasHeard } = await ada({ ...scene, relay });
    sandbox.delete(general, old);
    await hasHeard(['message_delete']);
    expect(events[0]).toEqual({ type: 'message_delete', channelId: general.id, messageId: old.id });
  });

  it('that was away is told of places, not of messages; those wait as pings until they are read', async () => {
    const scene = await openRelay();
    const { sandbox, general, alice, relay, guild } = scene;
    const { client, persona, isIn, hasHeard, entered } = await ada(scene);
    sandbox.post(general, alice, 'before');
    await hasHeard(['message_create before']);
    await goAway(relay, persona);
    const ping = sandbox.post(general, alice, `<@&${relay.state.roleOf(persona, guild)}> are you there?`);
    updateChannel(scene.world, general, { name: 'renamed' });
    relay.accepts = true;
    await isIn(2);
    // It is asked to tell of the channel again, and says when it does.
    await client.subscribe(general.id);
    sandbox.post(general, alice, 'after');
    await hasHeard(['message_create before', 'channel_update', 'message_create after']);
    expect(entered).toEqual(['anew', 'resumed']);
    const { pings } = await client.call('get_pending_pings', {});
    expect(pings.map(({ message }) => message.nativeId)).toEqual([ping.id]);
    const { messages } = await client.call('fetch_history', { channelId: general.id, limit: 2 });
    expect(messages.map(({ cleanContent }) => cleanContent)).toEqual([
      'after',
      expect.stringContaining('are you there?'),
    ]);
    await client.call('mark_read', { channelId: general.id });
    expect(await client.call('get_pending_pings', {})).toEqual({ pings: [] });
    expect(await client.call('channel_missed', { channelId: general.id })).toMatchObject({ messages: 0 });
  });

  it('that was away for longer than the relay remembers comes in anew, on the same socket', async () => {
    const scene = await openRelay();
    const { general, relay, world } = scene;
    const { persona, isIn, entered } = await ada(scene);
    await goAway(relay, persona);
    for (let n = 0; n < 1001; n++) updateChannel(world, general, { name: `name-${n}` });
    relay.accepts = true;
    await isIn(2);
    expect(entered).toEqual(['anew', 'anew']);
  });

  it('may do what it is allowed, and is told when that changes', async () => {
    const scene = await openRelay();
    const { sandbox, general, alice, relay } = scene;
    const { client, persona, hasHeard, events } = await ada(scene);
    relay.grant(persona, general.id, []);
    sandbox.post(general, alice, 'a secret');
    await hasHeard(['capabilities_update']);
    expect(events[0]).toEqual({ type: 'capabilities_update', channelId: general.id, capabilities: [] });
    await expect(client.call('send_message', { channelId: general.id, content: 'hello?' })).rejects.toThrow(
      'missing capability SEND_MESSAGES',
    );
    relay.grant(persona, general.id, ['VIEW_CHANNEL']);
    sandbox.post(general, alice, 'no secret');
    await hasHeard(['capabilities_update', 'capabilities_update', 'message_create no secret']);
  });

  it('whose credentials are taken away is told so, and is not made anew', async () => {
    const scene = await openRelay();
    const { persona, client, refused } = await ada(scene);
    scene.relay.revoke(persona);
    await vi.waitFor(() => expect(refused).toEqual(['the relay does not accept the credentials']), SOON);
    expect(client.phase.kind).toBe('pausing');
    expect(scene.relay.state.personas.all.size).toBe(0);
  });

  it('whose post comes back before its answer reads its own name as somebody else', async () => {
    const scene = await openRelay();
    const { client, events, hasHeard } = await ada(scene);
    scene.relay.state.echoesFirst = true;
    await client.call('send_message', { channelId: scene.general.id, content: 'mine' });
    await hasHeard(['message_create mine']);
    expect(events[0]).toMatchObject({ message: { author: { kind: 'user', displayName: 'Ada', bot: true } } });
  });

  it('says of a call whose answer was lost that it may have acted', async () => {
    const scene = await openRelay();
    const { client, isIn } = await ada(scene);
    scene.relay.failNextCall('loses-answer');
    const { id: channelId } = scene.general;
    await expect(client.call('send_message', { channelId, content: 'once' })).rejects.toThrow(CallUnknown);
    await isIn(2);
    const { messages } = await client.call('fetch_history', { channelId });
    expect(messages.map(({ content }) => content)).toEqual(['once']);
    scene.relay.failNextCall({ code: 50035, message: 'Invalid Form Body' });
    await expect(client.call('list_guilds', {})).rejects.toMatchObject({ code: 50035 });
  });
});
