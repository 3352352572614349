import { PassThrough } from 'node:stream';
import { LineTransport, McplWire } from '@mcpl-bridges/transport';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { expect, it, vi } from 'vitest';
import { Host, type Journal, noJournal } from '../index.js';
import { MANIFEST } from '../synthetic-server.testkit.js';

it('a disk that is behind makes the server wait; nothing is refused, degraded or lost', async () => {
  const COUNT = 20_000;
  const disk: (() => void)[] = [];
  // A real disk cannot be told to stall; everything else is real.
  const journal: Journal = {
    ...noJournal,
    append: ({ record }) => (record.type === 'occurrence' ? new Promise((resolve) => disk.push(resolve)) : undefined),
  };
  const host = new Host({ journal });
  const [there, back] = [new PassThrough(), new PassThrough()];
  const wire = new McplWire(new LineTransport({ input: there, output: back }));
  const capabilities = { experimental: { mcpl: MANIFEST } };
  wire.handle('featureSets/update', () => ({ accepted: true }));
  await new Server({ name: 's', version: '1' }, { capabilities }).connect(wire);
  await host.connect(new LineTransport({ input: back, output: there }), { serverId: 's', endpoint: 'pipe' });

  const push = (i: number) =>
    wire.request(
      'push/event',
      {
        featureSet: 'doc',
        eventId: `e${i}`,
        timestamp: '2026-01-01T00:00:00Z',
        payload: { content: `message ${i} ${'.'.repeat(200)}` },
        coalesce: { key: `k${i}`, initial: true },
      },
      { timeoutMs: 60_000 },
    );
  // In portions, as a producer sends them; each is one write.
  const answers: Promise<Record<string, unknown>>[] = [];
  for (let i = 0; i < COUNT; i++) {
    answers.push(push(i));
    if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await vi.waitFor(() => expect(disk.length).toBeGreaterThanOrEqual(1024));
  const stalledAt = disk.length;
  expect(stalledAt).toBeLessThan(COUNT / 2);

  const release = setInterval(() => disk.splice(0).forEach((done) => void done()), 1);
  const results = await Promise.all(answers);
  clearInterval(release);
  expect(results.every((result) => (result.coalesce as { outcome: string }).outcome === 'first')).toBe(true);
  expect(host.engine.entries('main')).toHaveLength(COUNT);
  await host.close();
}, 30_000);
