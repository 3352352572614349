import { PassThrough } from 'node:stream';
import { LineTransport } from '@mcpl-bridges/transport';
import { expect, it, vi } from 'vitest';
import { MemoryStore, Producer } from './index.js';

// What the MCP SDK does by itself, and a host must not be made to suffer from; each seen with 1.32.

const setUp = async (version = '2024-11-05', maxFrameBytes = 10 * 1024 * 1024) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const producer = new Producer({
    name: 'chat',
    version: '1',
    platform: 'chat',
    featureSets: { messaging: { description: 'm', uses: ['pushEvents', 'tools'] } },
    messagingFeatureSet: 'messaging',
    store: new MemoryStore(),
    tools: {
      list: () => [{ name: 'shout', inputSchema: { type: 'object' } }],
      call: async (_name, { text }) => ({ content: [{ type: 'text', text: String(text).toUpperCase() }] }),
    },
    callbacks: { publish: async () => ({ delivered: true }) },
    random: () => 0,
    requestTimeoutMs: 300,
  });
  await producer.connect(new LineTransport({ input, output, maxFrameBytes }));
  let text = '';
  output.on('data', (part) => {
    text += part;
  });
  const lines = (): Record<string, unknown>[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const raw = (line: string) => void input.write(`${line}\n`);
  const answer = (id: unknown) =>
    vi.waitFor(() => {
      const found = lines().find((line) => !('method' in line) && line.id === id);
      if (!found) throw new Error(`no answer to ${String(id)}: ${text}`);
      return found;
    }, 3000);
  const send = (id: unknown, method: string, rest: object = {}) => {
    raw(JSON.stringify({ jsonrpc: '2.0', id, method, ...rest }));
    return answer(id);
  };
  const capabilities = { experimental: { mcpl: { version: '0.5', eventCoalescing: true } } };
  const params = { protocolVersion: version, capabilities, clientInfo: { name: 'h', version: '0' } };
  const greeting = await send('init', 'initialize', { params });
  raw('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  const grant = async () => {
    const effectiveCapabilities = ['pushEvents', 'tools'];
    await send('grant', 'featureSets/update', { params: { effectiveCapabilities } });
  };
  return { producer, input, raw, send, answer, lines, greeting, grant };
};

it.each(['2024-11-05', '2025-06-18', '2099-01-01'])(
  'the version that is offered, %s, is the version that is spoken',
  async (version) => {
    const { greeting } = await setUp(version);
    expect(greeting.result).toMatchObject({ protocolVersion: version });
  },
);

it('params that are null, and members that nobody knows, do not leave a request unanswered', async () => {
  const { send } = await setUp();
  expect(await send(1, 'tools/list', { params: null })).toMatchObject({ error: { code: -32600 } });
  expect(await send(2, 'tools/list', { trace: 'x' })).toMatchObject({ result: { tools: [{ name: 'shout' }] } });
  expect(await send(3, 'mcpl/manifest', { trace: 'x' })).toMatchObject({ result: { version: '0.5' } });
});

it('a batch and an id of null get one error each, and the connection goes on', async () => {
  const { raw, answer, lines, send } = await setUp();
  raw('[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"ping"}]');
  expect(await answer(null)).toMatchObject({ error: { code: -32600, message: expect.stringContaining('batches') } });
  raw('{"jsonrpc":"2.0","id":null,"method":"tools/list"}');
  await vi.waitFor(() => expect(lines().filter(({ id }) => id === null)).toHaveLength(2));
  expect(await send(3, 'ping')).toMatchObject({ result: {} });
});

it('a line that is too long is refused, and the connection goes on', async () => {
  const { raw, answer, send } = await setUp('2024-11-05', 1000);
  raw(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { padding: 'x'.repeat(2000) } }));
  expect(await answer(null)).toMatchObject({
    error: { message: expect.stringContaining('exceeds the limit of 1000') },
  });
  expect(await send(2, 'ping')).toMatchObject({ result: {} });
});

it('params of a wrong shape are invalid params, of a tool and of MCPL alike, named without decoration', async () => {
  const { send, grant } = await setUp();
  await grant();
  expect(await send(1, 'tools/call', { params: { name: 7 } })).toMatchObject({
    error: { code: -32602, message: expect.stringMatching(/^Invalid params: name .*expected string/) },
  });
  expect(await send(2, 'tools/call', { params: { name: 'whisper' } })).toMatchObject({
    error: { code: -32602, message: 'Unknown tool: whisper' },
  });
  expect(await send(3, 'push/render', { params: { key: 7 } })).toMatchObject({
    error: { code: -32602, message: expect.stringMatching(/^Invalid params: /) },
  });
});

it("a denied tool is MCPL's own error, unaltered", async () => {
  const { send } = await setUp();
  await send('grant', 'featureSets/update', { params: { effectiveCapabilities: ['pushEvents'] } });
  expect(await send(1, 'tools/call', { params: { name: 'shout', arguments: { text: 'a' } } })).toMatchObject({
    error: { code: -32002, message: 'Capability denied: tools', data: { capability: 'tools' } },
  });
});

it("a time-out of our own is not the host's -32001: it is sent again; the host's waits for the next policy", async () => {
  const { producer, grant, lines, raw } = await setUp();
  await grant();
  const pushes = () => lines().filter(({ method }) => method === 'push/event');
  void producer.featureSet('messaging').event({ content: [{ type: 'text', text: 'a' }] });
  // Nobody answers the first one, which the SDK would call -32001.
  await vi.waitFor(() => expect(pushes().length).toBeGreaterThanOrEqual(2), 3000);
  const refusal = { jsonrpc: '2.0', id: pushes().at(-1)?.id, error: { code: -32001, message: 'not enabled' } };
  raw(JSON.stringify(refusal));
  await new Promise((resolve) => setTimeout(resolve, 50));
  const asked = pushes().length;
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(pushes()).toHaveLength(asked);
});

it('a handler that returns nothing answers with an empty result', async () => {
  const { send, grant } = await setUp();
  await grant();
  expect(await send(1, 'featureSets/update', { params: { effectiveCapabilities: [] } })).toHaveProperty('result');
});

it('the end of the input is the end of the connection', async () => {
  const { producer, input } = await setUp();
  expect(producer.phase).toBe('awaiting-policy');
  input.end();
  await vi.waitFor(() => expect(producer.phase).toBe('disconnected'));
});
