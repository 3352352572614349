import { McplError } from '@mcpl-bridges/protocol';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, vi } from 'vitest';
import { McplWire } from './mcpl-wire.js';

const linked = async () => {
  const [a, b] = InMemoryTransport.createLinkedPair();
  const host = new McplWire(a);
  const server = new McplWire(b);
  const passedOn: JSONRPCMessage[] = [];
  server.onmessage = (message) => passedOn.push(message);
  await host.start();
  await server.start();
  return { host, server, passedOn };
};

const soon = { timeoutMs: 1000 };

describe("MCPL's methods beside the SDK", () => {
  it('are served without the SDK seeing them, everything else with it', async () => {
    const { host, server, passedOn } = await linked();
    server.handle('channels/list', () => ({ channels: [] }));
    expect(await host.request('channels/list', {}, soon)).toEqual({ channels: [] });
    await host.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(passedOn).toEqual([{ jsonrpc: '2.0', id: 1, method: 'tools/list' }]);
  });

  it("carry an error's code and data unaltered", async () => {
    const { host, server } = await linked();
    server.handle('push/event', () => {
      throw new McplError(-32017, 'Channel not permitted: c', { channelId: 'c' });
    });
    await expect(host.request('push/event', {}, soon)).rejects.toMatchObject({
      cause: {
        kind: 'refused',
        error: { code: -32017, message: 'Channel not permitted: c', data: { channelId: 'c' } },
      },
    });
  });

  it('are answered with an error where nobody serves them', async () => {
    const { host } = await linked();
    await expect(host.request('model/info', {}, soon)).rejects.toMatchObject({ cause: { error: { code: -32601 } } });
  });

  it('tell a time-out from a refusal, and still hear a late answer', async () => {
    vi.useFakeTimers();
    const { host, server } = await linked();
    let answer = (_value: unknown): void => {};
    server.handle(
      'push/event',
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const late = vi.fn();
    const request = host.request('push/event', {}, { timeoutMs: 50, onResult: late });
    const failed = expect(request).rejects.toMatchObject({ cause: { kind: 'timeout', afterMs: 50 } });
    await vi.advanceTimersByTimeAsync(60);
    await failed;
    answer({ accepted: true });
    await vi.advanceTimersByTimeAsync(1);
    expect(late).toHaveBeenCalledWith({ accepted: true }, true);
    vi.useRealTimers();
  });

  it('fail as disconnected when the connection closes under them', async () => {
    const { host, server } = await linked();
    server.handle('push/event', () => new Promise(() => {}));
    const request = host.request('push/event', {}, soon);
    await server.close();
    await expect(request).rejects.toMatchObject({ cause: { kind: 'disconnected' } });
    await expect(host.request('push/event', {}, soon)).rejects.toMatchObject({ cause: { kind: 'disconnected' } });
  });
});
