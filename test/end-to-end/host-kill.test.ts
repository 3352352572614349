import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenWebSocket, McplWire } from '@mcpl-bridges/transport';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { expect, it, vi } from 'vitest';
import { afterThisTest } from '../helpers/cleanup.js';
import { HOST, node } from '../helpers/programs.js';

const MANIFEST = {
  version: '0.5',
  pushEvents: true,
  featureSets: { doc: { description: 'documents', uses: ['pushEvents'] } },
};

/** A server that hosts dial; `push` goes to whichever dialled last and was given its grant. */
const synthetic = async () => {
  let ready: McplWire | undefined;
  const listener = await listenWebSocket({
    host: '127.0.0.1',
    port: 0,
    onConnection: async (transport) => {
      const wire = new McplWire(transport);
      wire.handle('featureSets/update', () => {
        setImmediate(() => {
          ready = wire;
        });
        return { accepted: true };
      });
      const server = new Server({ name: 's', version: '1' }, { capabilities: { experimental: { mcpl: MANIFEST } } });
      await server.connect(wire);
    },
  });
  afterThisTest(() => listener.close());
  const push = (eventId: string, text: string) => {
    if (!ready) throw new Error('no host is ready');
    const coalesce = { key: eventId, initial: true };
    const payload = { content: [{ type: 'text', text }] };
    const params = { featureSet: 'doc', eventId, timestamp: '2026-01-01T00:00:00Z', payload, coalesce };
    return ready.request('push/event', params, { timeoutMs: 5000 });
  };
  const whenReady = async (): Promise<void> => {
    await vi.waitFor(() => expect(ready).toBeDefined(), 10_000);
  };
  const gone = (): void => {
    ready = undefined;
  };
  return { url: `ws://127.0.0.1:${listener.port}`, push, whenReady, gone };
};

it('47: what a host has accepted survives its SIGKILL, its receipts too, and is read once', async () => {
  const server = await synthetic();
  const dir = mkdtempSync(join(tmpdir(), 'mcpl-host-'));
  const config = join(dir, 'servers.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { doc: { url: server.url } } }));
  const start = () => node(HOST, ['run', '--config', config, '--state', join(dir, 'state')]);

  const first = start();
  await server.whenReady();
  const originals = await Promise.all(['a', 'b', 'c'].map((id) => server.push(id, `text ${id}`)));
  server.gone();
  first.kill('SIGKILL');
  expect(await first.exited).toBe('SIGKILL');
  expect(first.lines().filter((line) => line.type === 'turn')).toEqual([]);

  const second = start();
  await server.whenReady();
  expect(await Promise.all(['a', 'b', 'c'].map((id) => server.push(id, `text ${id}`)))).toEqual(originals);
  await vi.waitFor(() => expect(second.lines().filter((line) => line.type === 'turn')).toHaveLength(1), 10_000);
  expect(second.lines().find((line) => line.type === 'turn')?.context).toEqual(['text a', 'text b', 'text c']);
});
