import type { ChannelDescriptor, Manifest, PushRenderParams } from '@mcpl-bridges/protocol';
import { McplWire } from '@mcpl-bridges/transport';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { afterEach } from 'vitest';
import { type ConnectOptions, Host, type HostOptions, type OperatorPolicy } from './index.js';

export const ROOM: ChannelDescriptor = { id: 'chat:room', type: 'chat', label: '#room', direction: 'bidirectional' };

export const MANIFEST: Manifest = {
  version: '0.5',
  pushEvents: true,
  channels: {
    register: true,
    incoming: true,
    publish: true,
    lifecycle: true,
    streaming: true,
    acknowledge: true,
    typing: true,
  },
  featureSets: {
    doc: { description: 'documents', uses: ['pushEvents', 'channels.register', 'channels.incoming'] },
    broken: { description: 'broken', uses: ['everything'] },
  },
};

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

export interface Setting {
  readonly host?: Host;
  readonly options?: HostOptions;
  readonly policy?: OperatorPolicy;
  readonly connect?: Partial<ConnectOptions>;
  readonly receipt?: unknown;
  readonly protocolVersion?: string;
  /** What the server advertises. */
  readonly manifest?: unknown;
}

/** A host over an in-memory pair, with a synthetic server that says exactly what a test wants said. */
export const connect = async (setting: Setting = {}) => {
  const [a, b] = InMemoryTransport.createLinkedPair();
  const wire = new McplWire(b, {
    result: (result) => (setting.protocolVersion ? { ...result, protocolVersion: setting.protocolVersion } : result),
  });
  const server = new Server(
    { name: 's', version: '1' },
    { capabilities: { tools: {}, experimental: { mcpl: (setting.manifest ?? MANIFEST) as object } } },
  );
  const policies: { params: Record<string, unknown>; isRequest: boolean }[] = [];
  wire.handle('featureSets/update', (params, { isRequest }) => {
    policies.push({ params, isRequest });
    return setting.receipt ?? { accepted: true };
  });
  await server.connect(wire);
  const host = setting.host ?? new Host(setting.options);
  const session = await host.connect(a, {
    serverId: 'editor',
    endpoint: 'memory:',
    policy: setting.policy ?? {},
    ...setting.connect,
  });
  closers.push(() => host.close());
  const request = (method: string, params: Record<string, unknown>) =>
    wire.request(method, params, { timeoutMs: 2000 });
  let n = 0;
  const push = (text: string, extra: Record<string, unknown> = {}) =>
    request('push/event', {
      featureSet: 'doc',
      eventId: `e${++n}`,
      timestamp: '2026-01-01T00:00:00Z',
      payload: { content: text === '' ? [] : [{ type: 'text', text }] },
      ...extra,
    });
  const message = (text: string, extra: Record<string, unknown> = {}) => ({
    channelId: ROOM.id,
    messageId: 'm1',
    author: { id: 'u', name: 'alice' },
    timestamp: '2026-01-01T00:00:00Z',
    content: [{ type: 'text', text }],
    ...extra,
  });
  const incoming = async (...messages: unknown[]) =>
    (await request('channels/incoming', { messages })).results as Record<string, unknown>[];
  const reads = async () => (await host.turn({ name: 'silent', respond: async () => undefined })).context;
  const renders = serveRenders(wire);
  const notice = (text: string, extra: Record<string, unknown> = {}) =>
    push(text, { coalesce: { key: 'K', deferred: true, ...extra } });
  return {
    host,
    session,
    request,
    push,
    message,
    incoming,
    reads,
    policies,
    policy: () => policies.at(-1)?.params,
    wire,
    server,
    renders,
    notice,
  };
};

export interface Renders {
  /** What was asked, in order. */
  readonly asked: PushRenderParams[];
  /** Answers each request from now on; without it they are held. */
  answer?: (params: PushRenderParams) => unknown;
  /** Answers the oldest request that is held. */
  release(result: unknown): void;
  /** Resolves when `count` renders have been asked for. */
  whenAsked(count: number): Promise<void>;
}

export const text = (value: string) => ({ content: value === '' ? [] : [{ type: 'text', text: value }] });

const serveRenders = (wire: McplWire): Renders => {
  const held: ((result: unknown) => void)[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const renders: Renders = {
    asked: [],
    release: (result) => held.shift()?.(result),
    whenAsked: (count) =>
      renders.asked.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
  };
  wire.handle('push/render', (params) => {
    renders.asked.push(params as unknown as PushRenderParams);
    for (const one of waiting) if (renders.asked.length >= one.count) one.resolve();
    if (renders.answer) return renders.answer(params as unknown as PushRenderParams);
    return new Promise((resolve) => held.push(resolve));
  });
  return renders;
};

export const refusal = (code: number, data?: unknown) => ({
  cause: { kind: 'refused', error: { code, ...(data === undefined ? {} : { data }) } },
});

export const inRoom = (key = 'K', extra = {}) => ({ coalesce: { key, channelId: ROOM.id, ...extra } });
