import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LineTransport } from './line-transport.js';

const open = async (maxFrameBytes?: number) => {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = new LineTransport({ input, output, ...(maxFrameBytes === undefined ? {} : { maxFrameBytes }) });
  const received: unknown[] = [];
  const errors: string[] = [];
  transport.onmessage = (message) => received.push(message);
  transport.onerror = (error) => errors.push(error.message);
  await transport.start();
  const written = (): unknown[] =>
    (output.read()?.toString('utf8') ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line: string) => JSON.parse(line));
  return { input, output, transport, received, errors, written };
};

afterEach(() => vi.restoreAllMocks());
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const ping = { jsonrpc: '2.0' as const, id: 1, method: 'ping' };

describe('newline-delimited JSON', () => {
  it.each([
    ['malformed JSON', Buffer.from('{"jsonrpc":"2.0",\n'), -32700, /not JSON/],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x0a]), -32700, /not text/],
    ['a batch', Buffer.from('[]\n'), -32600, /batches/],
    ['something else', Buffer.from('42\n'), -32600, /JSON-RPC/],
    ['an oversized frame', Buffer.from(`"${'x'.repeat(300)}"\n`), -32600, /302 bytes exceeds the limit of 200/],
  ])('answers %s with one error and goes on', async (_what, bytes, code, message) => {
    const { input, received, written, errors } = await open(200);
    input.write(bytes);
    input.write(`${JSON.stringify(ping)}\n`);
    await tick();
    expect(written()).toEqual([{ jsonrpc: '2.0', id: null, error: { code, message: expect.stringMatching(message) } }]);
    expect(errors).toHaveLength(1);
    expect(received).toEqual([ping]);
  });

  it('refuses what is nested too deep, and takes brackets in strings for text', async () => {
    const { input, received, written } = await open();
    const nested = (depth: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}\n`;
    input.write(nested(511));
    await tick();
    expect(written()).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.stringContaining('deeper') } },
    ]);
    input.write(nested(510));
    input.write(`${JSON.stringify({ ...ping, params: { text: '[{"\\'.repeat(1000) } })}\n`);
    input.write(nested(100_000));
    await tick();
    expect(received).toHaveLength(2);
    expect(written()).toHaveLength(1);
  });

  it('tells the sender of a bad request which one it was', async () => {
    const { input, written } = await open();
    input.write('{"jsonrpc":"2.0","id":7,"method":5}\n');
    await tick();
    expect(written()).toMatchObject([{ id: 7, error: { code: -32600 } }]);
  });

  it('writes what is sent within one turn at once', async () => {
    const { output, transport } = await open();
    const write = vi.spyOn(output, 'write');
    for (let id = 0; id < 50; id++) void transport.send({ ...ping, id });
    await tick();
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('does not hold back much until the turn ends, and keeps the order', async () => {
    const { output, transport } = await open();
    let left = '';
    output.on('data', (chunk) => {
      left += chunk;
    });
    const ids = Array.from({ length: 2000 }, (_, id) => id);
    for (const id of ids) void transport.send({ ...ping, id, params: { text: 'x'.repeat(100) } });
    expect(left.length).toBeGreaterThan(200_000);
    await tick();
    const lines = left.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids);
  });

  it('makes senders wait while the pipe is full', async () => {
    const { output, transport } = await open();
    void transport.send({ ...ping, params: { text: 'x'.repeat(100_000) } });
    await tick();
    let through = false;
    const waiting = transport.send(ping).then(() => {
      through = true;
    });
    await tick();
    expect(through).toBe(false);
    output.resume();
    await waiting;
    expect(through).toBe(true);
  });

  it('ends with its input', async () => {
    const { input, transport } = await open();
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    input.end();
    await closed;
    await expect(transport.send(ping)).rejects.toThrow('closed');
  });
});
