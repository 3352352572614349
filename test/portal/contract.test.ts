import {
  CallRefused,
  dialNode,
  type Login,
  PortalClient,
  type PortalEvent,
  type Ready,
} from '@mcpl-bridges/portal-client';
import { createChannel, createGuild, PortalRelay, Sandbox } from '@mcpl-bridges/sandbox';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';

/**
 * What the client relies on, at any relay: the local one, or with `PORTAL_URL`, `PORTAL_PERSONA`, `PORTAL_TOKEN` and
 * `PORTAL_CHANNEL` (a text channel that may be written in) the one that stands there.
 */
interface Place {
  readonly url: string;
  readonly personaId: string;
  readonly token: string;
  readonly channelId: string;
}

const SOON = { timeout: 15_000, interval: 20 };

let place: Place;

beforeAll(async () => {
  const { PORTAL_URL, PORTAL_PERSONA = '', PORTAL_TOKEN = '', PORTAL_CHANNEL = '' } = process.env;
  if (PORTAL_URL) {
    place = { url: PORTAL_URL, personaId: PORTAL_PERSONA, token: PORTAL_TOKEN, channelId: PORTAL_CHANNEL };
    return;
  }
  const sandbox = await Sandbox.start();
  const bot = sandbox.world.createBot('relay', 'token');
  const guild = createGuild(sandbox.world, 'Home', bot.user, [bot.user]);
  const { id: channelId } = createChannel(sandbox.world, guild, 'general');
  const relay = await PortalRelay.start(sandbox.world, bot);
  const { id, token } = relay.state.personas.create('Ada');
  place = { url: relay.url, personaId: id, token, channelId };
  return async () => {
    await relay.close();
    await sandbox.close();
  };
});

const visit = (login?: Login, session?: { id: string; seq: number }) => {
  const { url, personaId, token } = place;
  const entered: ('anew' | 'resumed')[] = [];
  const readies: Ready[] = [];
  const refused: string[] = [];
  const events: PortalEvent[] = [];
  const client: PortalClient = new PortalClient({
    url,
    login: login ?? { kind: 'credentials', credentials: { personaId, token } },
    dial: dialNode,
    keep: () => {},
    ...(session ? { session } : {}),
    on: {
      entered: (how, ready) => {
        entered.push(how);
        if (ready) readies.push(ready);
      },
      refused: (reason) => refused.push(reason),
      event: (event, seq) => {
        events.push(event);
        client.handled(seq);
      },
    },
  });
  afterThisTest(() => client.stop());
  client.start();
  return { client, entered, readies, refused, events };
};

const arrival = async () => {
  const visitor = visit();
  await vi.waitFor(() => expect(visitor.readies).toHaveLength(1), SOON);
  return { ...visitor, ready: visitor.readies[0] as Ready };
};

describe('a relay', () => {
  it('lets a persona in by its token, and lists its servers and channels', async () => {
    const { ready, client } = await arrival();
    expect(ready.persona.id).toBe(place.personaId);
    const channel = ready.channels.find(({ id }) => id === place.channelId);
    expect(channel).toMatchObject({ type: 'text', capabilities: expect.arrayContaining(['VIEW_CHANNEL']) });
    const { guilds } = await client.call('list_guilds', {});
    expect(guilds.map(({ id }) => id)).toContain(channel?.guildId);
    const { channels } = await client.call('list_channels', { guildId: channel?.guildId ?? '' });
    expect(channels.map(({ id }) => id)).toContain(place.channelId);
  });

  it('refuses a token that is none, and an invitation that is none', async () => {
    const wrong = visit({ kind: 'credentials', credentials: { personaId: place.personaId, token: 'no such token' } });
    await vi.waitFor(() => expect(wrong.refused).toHaveLength(1), SOON);
    const uninvited = visit({ kind: 'invite', invite: 'no such invitation', desiredName: 'Nobody' });
    await vi.waitFor(() => expect(uninvited.refused).toHaveLength(1), SOON);
    expect([wrong.entered, uninvited.entered]).toEqual([[], []]);
  });

  it('resumes a session, and enters anew where there is none, on the same socket', async () => {
    const { client } = await arrival();
    const { session } = client;
    await client.stop();
    const back = visit(undefined, session);
    await vi.waitFor(() => expect(back.entered).toEqual(['resumed']), SOON);
    expect((await back.client.call('list_subscriptions', {})).channelIds).toEqual([]);
    const lost = visit(undefined, { id: 'sess_of_another_life', seq: 5 });
    await vi.waitFor(() => expect(lost.entered).toEqual(['anew']), SOON);
  });

  it('posts, edits and takes back what the persona says, names it by channel and snowflake, and does not echo it as the persona’s', async () => {
    const { client, events } = await arrival();
    const { channelId } = place;
    await client.subscribe(channelId);
    const { messageId } = await client.call('send_message', { channelId, content: 'a test of the client' });
    expect(messageId).toMatch(new RegExp(`^rm_${channelId}_\\d+$`));
    const newest = async () => (await client.call('fetch_history', { channelId, limit: 2 })).messages[0];
    await vi.waitFor(async () => expect((await newest())?.id).toBe(messageId), SOON);
    expect(await newest()).toMatchObject({
      channelId,
      author: { kind: 'persona', personaId: place.personaId },
      cleanContent: 'a test of the client',
    });
    await client.call('edit_message', { messageId, content: 'a test of the client, edited' });
    await vi.waitFor(async () => expect((await newest())?.content).toBe('a test of the client, edited'), SOON);
    await client.call('delete_message', { messageId });
    await vi.waitFor(async () => expect((await newest())?.id).not.toBe(messageId), SOON);
    // Discord may be faster than the relay: then it comes back as somebody else's, under the same id.
    const own = events.filter((event) => 'message' in event && event.message.author.kind === 'persona');
    expect(own).toEqual([]);
  });

  it('says of what it does not do that it does not', async () => {
    const { client } = await arrival();
    const refusal = (attempt: Promise<unknown>) => attempt.catch((error: unknown) => error);
    const unknown = await refusal(client.call('no_such_method' as 'list_guilds', {}));
    expect(unknown).toBeInstanceOf(CallRefused);
    expect((unknown as CallRefused).code).toBe('INVALID_PARAMS');
    const empty = await refusal(client.call('send_message', { channelId: place.channelId, content: '  ' }));
    expect(empty).toBeInstanceOf(CallRefused);
    const gone = await refusal(client.call('delete_message', { messageId: `rm_${place.channelId}_1` }));
    expect(gone).toBeInstanceOf(CallRefused);
  });

  it('keeps what was not read, and forgets it when it is marked as read', async () => {
    const { client } = await arrival();
    const { channelId } = place;
    await client.call('mark_read', { channelId });
    expect((await client.call('list_unread', {})).channels.map((one) => one.channelId)).not.toContain(channelId);
    expect(await client.call('channel_missed', { channelId })).toMatchObject({ channelId, messages: 0 });
  });
});
