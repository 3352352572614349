import {
  channelPresenceCapability,
  channelPresenceHostEvent,
  channelPresencePayload,
  channelPresenceRunEvent,
  errorEnvelope,
} from '@mcpl-bridges/presence';
import { setPresence, startTyping } from '@mcpl-bridges/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { openRoom } from '../helpers/scene.js';
import { entryOf, openPresence, SOON, sourceAt, tokenOf } from './support.js';

/**
 * What OpenWOP's public suite asks of a host with presence and host events, written anew. By default of a bridge of our
 * own; with OPENWOP_BASE_URL, OPENWOP_API_KEY and OPENWOP_TEST_TENANT_B_API_KEY of any service that has its samples on.
 */
const external = process.env.OPENWOP_BASE_URL;

interface Host {
  readonly base: string;
  readonly key: string;
  readonly otherTenant: string;
}

const openHost = async (): Promise<Host> => {
  if (external)
    return {
      base: external.replace(/\/+$/, ''),
      key: process.env.OPENWOP_API_KEY ?? '',
      otherTenant: process.env.OPENWOP_TEST_TENANT_B_API_KEY ?? '',
    };
  return openBridge();
};

/** Alice is the operator's, Bob of a tenant of his own. */
const openBridge = async () => {
  const room = await openRoom();
  for (const one of [room.alice, room.bob]) setPresence(room.sandbox.world, one, 'online');
  const scene = await openPresence({
    room,
    env: { MCPL_PRESENCE_SEAMS: 'on' },
    entries: ({ alice, bob }) => [
      entryOf('alice', { user: alice.id }),
      entryOf('bob', { user: bob.id, tenant: 'another guild' }),
    ],
  });
  const channel = scene.way.channelId(room.general);
  await vi.waitFor(async () => {
    const document = (await (await scene.get('/.well-known/openwop')).json()) as object;
    expect(document).toHaveProperty('channelPresence');
  }, SOON);
  return { ...scene, key: tokenOf('alice'), otherTenant: tokenOf('bob'), channel };
};

const caller = ({ base, key }: Host) => {
  const call = async (path: string, init: RequestInit = {}, bearer = key) => {
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json', ...init.headers };
    const answer = await fetch(base + path, { ...init, headers });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: parsed(text) };
  };
  const post = (path: string, body: unknown) => call(path, { method: 'POST', body: JSON.stringify(body) });
  return { call, post };
};

const parsed = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};

interface Seen {
  readonly type: string;
  readonly id: string;
  readonly envelope: Record<string, unknown>;
}

const TYPES = ['channel.presence', 'host-test.durable-triggered', 'host-test.ephemeral-triggered'];

/** What comes on `/host/events`. Resolves when the stream is open. */
const listen = async ({ base }: Host, bearer: string, lastEventId?: string): Promise<Seen[]> => {
  const seen: Seen[] = [];
  const resume = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
  const source = sourceAt(`${base}/host/events`, { ...resume, Authorization: `Bearer ${bearer}` });
  for (const type of TYPES)
    source.addEventListener(type, ({ data, lastEventId: id }) => seen.push({ type, id, envelope: parsed(data) }));
  await new Promise((resolve, reject) => {
    source.addEventListener('open', resolve);
    source.addEventListener('error', reject);
  });
  return seen;
};

const arrived = (seen: readonly Seen[], eventId: unknown): Promise<Seen> =>
  vi.waitFor(() => {
    const found = seen.find(({ envelope }) => envelope.eventId === eventId);
    if (!found) throw new Error(`${eventId} has not arrived`);
    return found;
  }, SOON);

const MEMBER = 'user:conformance-runner';

describe('OpenWOP 1', () => {
  it('advertises presence at the root of its discovery document', async () => {
    const { call } = caller(await openHost());
    const { status, json, headers } = await call('/.well-known/openwop');
    expect(status).toBe(200);
    expect(channelPresenceCapability.parse(json.channelPresence)).toEqual({ supported: true });
    expect(json.protocolVersion).toBe('1.0');
    expect(headers.get('openwop-version')).toBe('1.0');
    for (const member of ['supportedEnvelopes', 'schemaVersions', 'limits']) expect(json).toHaveProperty(member);
  });

  it("answers a member's snapshot with the closed payload, the member in it", async () => {
    const { post } = caller(await openHost());
    const conversationId = 'conf:channel-presence:c1';
    const { status, json } = await post('/v1/host/sample/channel-presence/snapshot', {
      conversationId,
      member: MEMBER,
    });
    expect(status).toBe(200);
    expect(Object.keys(json).sort()).toEqual(['conversationId', 'present', 'typing']);
    expect(json.conversationId).toBe(conversationId);
    const { present, typing = [] } = channelPresencePayload.parse(json);
    expect(present).toContain(MEMBER);
    for (const ref of typing) expect(present).toContain(ref);
  });

  it('says which stream modes there are, when asked for another', async () => {
    const { call } = caller(await openHost());
    for (const mode of ['values', 'messages', 'loud']) {
      const { status, json } = await call(`/v1/runs/some/events?streamMode=${mode}`);
      expect([status, json.error]).toEqual([400, 'unsupported_stream_mode']);
      expect(errorEnvelope.parse(json).details).toEqual({ supported: ['updates', 'debug'] });
    }
  });
});

describe('OpenWOP 2', () => {
  const V2 = { 'OpenWOP-Version': '2.0' };

  it('is chosen by a header, which every answer names', async () => {
    const { call } = caller(await openHost());
    for (const [asked, status, answered] of [
      ['2', 200, '2.0'],
      ['2.0', 200, '2.0'],
      ['1', 200, '1.0'],
      ['3', 406, '2.0'],
    ] as const) {
      const answer = await call('/.well-known/openwop', { headers: { 'OpenWOP-Version': asked } });
      expect([answer.status, answer.headers.get('openwop-version')]).toEqual([status, answered]);
    }
    const refused = await call('/host/events', { headers: { 'OpenWOP-Version': '7.1' } });
    expect(refused.status).toBe(406);
    expect(refused.json).toMatchObject({
      error: 'protocol_version_unsupported',
      details: { protocolVersions: ['1.0', '2.0'] },
    });
    expect((await call('/v1/runs/x/events', { headers: V2 })).json.error).toBe('protocol_version_mismatch');
  });

  it('advertises records, and presence among its host events', async () => {
    const { call } = caller(await openHost());
    const { json, headers } = await call('/.well-known/openwop', { headers: V2 });
    for (const family of ['channelPresence', 'hostEvents']) {
      expect(json[family]).toMatchObject({ status: 'stable', since: expect.stringMatching(/^\d+\.\d+$/) });
      expect(json[family]).not.toHaveProperty('supported');
    }
    const { types } = json.hostEvents as { types: { type: string; delivery: string }[] };
    expect(types).toContainEqual({ type: 'channel.presence', delivery: 'ephemeral' });
    expect(new Set(types.map(({ type }) => type)).size).toBe(types.length);
    const again = await call('/.well-known/openwop', {
      headers: { ...V2, 'If-None-Match': headers.get('etag') ?? '' },
    });
    expect([again.status, again.text, again.headers.get('openwop-version')]).toEqual([304, '', '2.0']);
  });

  it('delivers a snapshot to a member, and none to an outsider', async () => {
    const { post } = caller(await openHost());
    const path = '/conformance/seams/sample/channel-presence/snapshot';
    const asked = { conversationId: 'conf:channel-presence:delivery', member: MEMBER };
    const own = await post(path, asked);
    expect(own.status).toBe(200);
    expect(channelPresencePayload.parse(own.json).present).toContain(MEMBER);
    const outsider = await post(path, { ...asked, observer: 'user:conformance-outsider' });
    expect(outsider.status).toBe(403);
    expect(outsider.text).not.toContain(MEMBER);
  });

  it('delivers a host event in its envelope: with an id where it is durable, without where it is not', async () => {
    const host = await openHost();
    const { post } = caller(host);
    const seen = await listen(host, host.key);
    for (const delivery of ['durable', 'ephemeral']) {
      const { status, json } = await post('/host/events/test', { delivery });
      expect([status, json.type]).toEqual([202, `host-test.${delivery}-triggered`]);
      const { type, envelope } = await arrived(seen, json.eventId);
      expect(type).toBe(json.type);
      expect(envelope).toEqual({
        eventId: json.eventId,
        type: json.type,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        delivery,
        payload: {},
      });
    }
    const durable = seen.find(({ envelope }) => envelope.delivery === 'durable');
    expect(durable?.id).toBe(durable?.envelope.eventId);
  });

  it('brings durable events back that came after one, and ephemeral ones never', async () => {
    const host = await openHost();
    const { post } = caller(host);
    const cause = async (delivery: string) => (await post('/host/events/test', { delivery })).json.eventId;
    const [first, passing, second] = [await cause('durable'), await cause('ephemeral'), await cause('durable')];
    const resumed = await listen(host, host.key, String(first));
    await arrived(resumed, second);
    const ids = resumed.map(({ envelope }) => envelope.eventId);
    expect(ids).not.toContain(passing);
    expect(ids).not.toContain(first);
  });

  it('tells no tenant of the events of another', async () => {
    const host = await openHost();
    const { post } = caller(host);
    const [own, others] = [await listen(host, host.key), await listen(host, host.otherTenant)];
    const { eventId } = (await post('/host/events/test', { delivery: 'durable' })).json;
    await arrived(own, eventId);
    const { eventId: later } = (
      await caller({ ...host, key: host.otherTenant }).post('/host/events/test', { delivery: 'durable' })
    ).json;
    await arrived(others, later);
    expect(others.map(({ envelope }) => envelope.eventId)).toEqual([later]);
  });

  it('refuses test events of no known class, with more than is asked, or for a workspace', async () => {
    const { post } = caller(await openHost());
    for (const [body, status, error] of [
      [{ delivery: 'loud' }, 400, 'validation_error'],
      [{}, 400, 'validation_error'],
      [{ delivery: 'durable', type: 'channel.presence' }, 400, 'validation_error'],
      [{ delivery: 'durable', workspaceId: 'ws' }, 404, 'not_found'],
    ] as const) {
      const answer = await post('/host/events/test', body);
      expect([answer.status, answer.json.error]).toEqual([status, error]);
    }
  });

  it('refuses webhooks for what is ephemeral', async () => {
    const { post } = caller(await openHost());
    for (const type of ['channel.presence', 'host-test.ephemeral-triggered']) {
      const { status, json } = await post('/webhooks', { url: 'https://example.com', events: [type], secret: 's' });
      expect([status, json.error]).toEqual([400, 'validation_error']);
    }
  });

  it('has presence in no run', async () => {
    const { call } = caller(await openHost());
    const { status, headers } = await call('/runs/tenant~2Frun-of-sixteen-chars/events', { headers: V2 });
    expect([status, headers.get('openwop-version')]).toEqual([403, '2.0']);
  });
});

describe.skipIf(external)('a channel of a real bridge', () => {
  it("comes in a run's feed of OpenWOP 1, the present snapshot only, whatever was the last event", async () => {
    const bridge = await openBridge();
    const path = `${bridge.base}/v1/runs/${encodeURIComponent(bridge.channel)}/events`;
    const follow = (mode: string) => {
      const seen: unknown[] = [];
      const resume = { Authorization: `Bearer ${bridge.key}`, 'Last-Event-ID': '0' };
      const source = sourceAt(`${path}?streamMode=${mode}`, resume);
      source.addEventListener('channel.presence', ({ data, lastEventId }) => {
        expect(lastEventId).toBe('');
        seen.push(parsed(data));
      });
      return seen;
    };
    const feeds = [follow('updates'), follow('debug')];
    await vi.waitFor(() => expect(feeds.map((seen) => seen.length)).toEqual([1, 1]), SOON);
    startTyping(bridge.sandbox.world, bridge.general, bridge.alice.id);
    await vi.waitFor(() => expect(feeds.map((seen) => seen.length)).toEqual([2, 2]), SOON);
    const late = follow('updates');
    await vi.waitFor(() => expect(late).toHaveLength(1), SOON);
    const read = (seen: readonly unknown[]) => seen.map((one) => channelPresenceRunEvent.parse(one));
    for (const seen of feeds) expect(read(seen).map(({ sequence }) => sequence)).toEqual([0, 1]);
    expect(read(late)[0]?.payload).toEqual(read(feeds[0] ?? [])[1]?.payload);
  });

  it('comes among the host events of OpenWOP 2, to its members, fresh on every return', async () => {
    const bridge = await openBridge();
    const seen = await listen(bridge, bridge.key);
    const isOf = ({ envelope }: Seen) =>
      (envelope.payload as { conversationId?: string }).conversationId === bridge.channel;
    await vi.waitFor(() => expect(seen.filter(isOf)).toHaveLength(1), SOON);
    const [first] = seen.filter(isOf);
    expect(first?.id).toBe('');
    const event = channelPresenceHostEvent.parse(first?.envelope);
    expect(event.payload.present).toHaveLength(3);
    const again = await listen(bridge, bridge.key, event.eventId);
    await vi.waitFor(() => expect(again.filter(isOf)).toHaveLength(1), SOON);
    expect(again.find(isOf)?.envelope.eventId).not.toBe(event.eventId);
    expect(await listen(bridge, bridge.otherTenant)).toEqual([]);
  });

  it('has no samples where the operator has not switched them on', async () => {
    const room = await openRoom();
    const scene = await openPresence({ room });
    const { post } = caller({ base: scene.base, key: tokenOf('alice'), otherTenant: '' });
    for (const path of [
      '/v1/host/sample/channel-presence/snapshot',
      '/conformance/seams/sample/channel-presence/snapshot',
    ])
      expect((await post(path, { conversationId: 'c', member: MEMBER })).status).toBe(404);
  });
});
