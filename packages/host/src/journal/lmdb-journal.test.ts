import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainText } from '@mcpl-bridges/protocol';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { AdmittedOccurrence, Treatment } from '../core/occurrence.js';
import { restoreSnapshot, takeSnapshot } from '../core/snapshot.js';
import { Engine, Host, type Journal, noAudit, noJournal } from '../index.js';
import { paperJournal } from '../paper-journal.testkit.js';
import { connect, text } from '../synthetic-server.testkit.js';
import { LmdbJournal } from './lmdb-journal.js';

const folders: string[] = [];
const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'mcpl-host-'));
  folders.push(path);
  return path;
};
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

const SCOPE = { kind: 'channel', channelId: 'c' } as const;
type Step = { do: 'create' | 'edit' | 'retract' | 'notice' | 'read' | 'restart'; key: string; context: string };

/** An engine over a journal, with everything random decided by the steps. */
class Life {
  private engine: Engine;
  private n = 0;
  constructor(private readonly reopen: () => Journal) {
    this.engine = this.start();
  }

  private start = (): Engine =>
    new Engine({
      clock: { now: () => this.n },
      journal: this.reopen(),
      audit: noAudit,
      route: () => ['A', 'B'],
      render: async (batch) => ({
        kind: 'rendered',
        content: [{ type: 'text', text: `render of ${batch.notices.length}` }],
      }),
    });

  async run(steps: readonly Step[]): Promise<unknown[]> {
    const seen: unknown[] = [];
    for (const step of steps) {
      // A restart takes no time, so that a life without it has the same ids.
      if (step.do === 'restart') {
        this.engine = this.start();
        continue;
      }
      this.n += 1;
      if (step.do === 'read') seen.push(await this.read(step.context));
      else seen.push(this.engine.admit(this.occurrence(step), 3_600_000).receipt);
    }
    return [...seen, await this.read('A'), await this.read('B')];
  }

  private async read(context: string): Promise<string[]> {
    return (await this.engine.assemble(context)).entries.map((entry) => plainText([...entry.content]));
  }

  private occurrence(step: Step): AdmittedOccurrence {
    const common = { scope: SCOPE, key: step.key };
    const treatments: Record<string, Treatment> = {
      create: { kind: 'plain', ...common, initial: true },
      edit: { kind: 'plain', ...common, initial: false },
      retract: { kind: 'retract', ...common },
      notice: { kind: 'deferred', ...common, initial: true, featureSet: 'f', data: { n: this.n } },
    };
    return {
      binding: 'b',
      // Some ids come again, as retries do.
      eventId: `e${this.n % 13}`,
      timestamp: '2026-01-01T00:00:00Z',
      content: [{ type: 'text', text: `${step.do} ${step.key} ${this.n}` }],
      tags: [],
      treatment: treatments[step.do] ?? { kind: 'ordinary' },
    };
  }
}

const step = fc.record({
  do: fc.constantFrom<Step['do']>('create', 'edit', 'retract', 'notice', 'read', 'restart'),
  key: fc.constantFrom('K', 'L'),
  context: fc.constantFrom('A', 'B'),
});

describe('a host that is restarted', () => {
  it('goes on as if nothing had happened, from records and from snapshots', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 10 }), async (steps, every) => {
        const unbroken = await new Life(() => noJournal).run(steps.filter((one) => one.do !== 'restart'));
        const lives = await new Life(paperJournal(every)).run(steps);
        expect(lives).toEqual(unbroken);
      }),
    );
  });

  it('a snapshot gives the state back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const life = new Life(() => noJournal);
        await life.run(steps.filter((one) => one.do !== 'restart'));
        const { state } = (life as unknown as { engine: { state: Parameters<typeof takeSnapshot>[0] } }).engine;
        const restored = restoreSnapshot(JSON.parse(JSON.stringify(takeSnapshot(state))));
        expect(takeSnapshot(restored)).toEqual(takeSnapshot(state));
        expect([...restored.tracked]).toEqual([...state.tracked]);
      }),
    );
  });
});

it('records are replayed under the rules they were made under', async () => {
  const journal = paperJournal(1000);
  const small = await connect({ host: new Host({ journal: journal(), maxSubjects: 1 }) });
  await small.push('one', { eventId: 'a', coalesce: { key: 'K', initial: true } });
  const beyond = { eventId: 'b', coalesce: { key: 'L', initial: true } };
  const original = await small.push('two', beyond);
  expect(original).toMatchObject({ coalesce: { outcome: 'appended' } });
  const large = await connect({ host: new Host({ journal: journal() }) });
  expect(await large.push('two', beyond)).toEqual(original);
  expect(await large.push('three', { eventId: 'c', coalesce: { key: 'L' } })).toMatchObject({
    coalesce: { outcome: 'appended' },
  });
  expect(await large.reads()).toEqual(['one', 'two', 'three']);
});

describe('the LMDB journal', () => {
  const restart = async (path: string, first: Host): Promise<Host> => {
    await first.close();
    return new Host({ journal: new LmdbJournal({ path, snapshotEvery: 3 }) });
  };
  const begin = (path: string): Host => new Host({ journal: new LmdbJournal({ path, snapshotEvery: 3 }) });

  it('7, 40, 47: keeps what is unread replaceable, what was read as it was, and every receipt', async () => {
    const path = folder();
    const first = await connect({ host: begin(path) });
    await first.push('read', { coalesce: { key: 'A', initial: true } });
    await first.reads();
    const event = { eventId: 'once', coalesce: { key: 'B', initial: true } };
    const original = await first.push('unread', event);

    const second = await connect({ host: await restart(path, first.host) });
    expect(await second.push('unread', event)).toEqual(original);
    expect(await second.push('replaced', { eventId: 'x1', coalesce: { key: 'B' } })).toMatchObject({
      coalesce: { outcome: 'replaced' },
    });
    expect(await second.push('[gone]', { eventId: 'x2', coalesce: { key: 'A', retract: true } })).toMatchObject({
      coalesce: { outcome: 'noted' },
    });
    expect(await second.reads()).toEqual(['read', 'replaced', '[gone]']);
  });

  it('renders after a restart what was pending before it, and falls back where the restart cut a render off', async () => {
    const reopen = paperJournal(1000);
    const first = await connect({ host: new Host({ journal: reopen() }) });
    await first.notice('fallback of K');
    const cut = first.reads();
    await first.renders.whenAsked(1);
    await first.notice('fallback of L', { key: 'L' });
    // Here the process would end: the second host has what the journal holds by now.
    const second = await connect({ host: new Host({ journal: reopen() }) });
    first.renders.release(text('never seen'));
    await cut;
    second.renders.answer = () => text('rendered');
    expect(await second.reads()).toEqual(['fallback of K', 'rendered']);
    expect(second.renders.asked.map((asked) => asked.key)).toEqual(['L']);
  });

  it('forgets receipts whose window has passed, on disk as well', async () => {
    const path = folder();
    let now = 0;
    const clock = { now: () => now };
    const first = await connect({ host: new Host({ clock, journal: new LmdbJournal({ path, snapshotEvery: 2 }) }) });
    for (let i = 0; i < 5; i++) await first.push('x', { eventId: `old${i}` });
    now = 3_600_001;
    await first.push('x', { eventId: 'new' });
    await first.push('x', { eventId: 'newer' });
    await first.host.close();
    const { snapshot } = new LmdbJournal({ path }).recover();
    expect(snapshot?.receipts.map(([id]) => JSON.parse(id)[1])).toEqual(expect.not.arrayContaining(['old0']));
  });
});
