import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainText } from '@mcpl-bridges/protocol';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { Checkpoints } from '../core/checkpoint.js';
import type { AdmittedOccurrence, Treatment } from '../core/occurrence.js';
import { restoreState } from '../core/restore.js';
import { Engine, Host, type HostState, type Journal, noAudit, noJournal } from '../index.js';
import { PaperTables, paperJournal } from '../paper-journal.testkit.js';
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
type Step = {
  do: 'create' | 'edit' | 'retract' | 'notice' | 'read' | 'summarise' | 'restart';
  key: string;
  context: string;
};

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
      if (step.do === 'restart') this.engine = this.start();
      else seen.push(await this.take(step));
    }
    return [...seen, await this.read('A'), await this.read('B')];
  }

  async take(step: Step): Promise<unknown> {
    this.n += 1;
    if (step.do === 'read') return this.read(step.context);
    if (step.do === 'summarise') return this.engine.recordSummary(step.context, `s${this.n}`, 'a summary', this.n % 4);
    return this.engine.admit(this.occurrence(step), 3_600_000).receipt;
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

/** A state as plain values, in the order in which it holds them. */
const everything = (state: HostState) => ({
  ...state,
  contexts: [...state.contexts.values()].map((context) => ({
    ...context,
    unread: [...context.unread],
    pending: [...context.pending],
    frozen: [...context.frozen],
  })),
  subjects: [...state.subjects.values()]
    .sort((a, b) => a.n - b.n)
    .map(({ older, newer, ...rest }) => ({ ...rest, between: [older?.id, newer?.id] })),
  tracked: [...state.tracked].map(([binding, { size }]) => [binding, size]),
  receipts: [...state.receipts.kept],
});

const step = fc.record({
  do: fc.constantFrom<Step['do']>('create', 'edit', 'retract', 'notice', 'read', 'summarise', 'restart'),
  key: fc.constantFrom('K', 'L'),
  context: fc.constantFrom('A', 'B'),
});

describe('a host that is restarted', () => {
  it('goes on as if nothing had happened, from records and from checkpoints', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 10 }), async (steps, every) => {
        const unbroken = await new Life(() => noJournal).run(steps.filter((one) => one.do !== 'restart'));
        const lives = await new Life(paperJournal(every)).run(steps);
        expect(lives).toEqual(unbroken);
      }),
    );
  });

  it('checkpoints make up the whole state, whenever they are taken', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(step, fc.constant('checkpoint' as const)), { maxLength: 40 }),
        async (steps) => {
          const life = new Life(() => ({ ...noJournal }));
          const { state } = (life as unknown as { engine: { state: HostState } }).engine;
          const checkpoints = new Checkpoints(state);
          const tables = new PaperTables();
          for (const one of steps) {
            if (one === 'checkpoint') tables.apply(checkpoints.take());
            else if (one.do !== 'restart') await life.take(one);
          }
          tables.apply(checkpoints.take());
          const stored = tables.state;
          if (!stored) throw new Error('nothing was stored');
          expect(everything(restoreState(stored))).toEqual(everything(state));
        },
      ),
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
    return new Host({ journal: new LmdbJournal({ path, checkpointEvery: 3 }) });
  };
  const begin = (path: string): Host => new Host({ journal: new LmdbJournal({ path, checkpointEvery: 3 }) });

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
    const first = await connect({ host: new Host({ clock, journal: new LmdbJournal({ path, checkpointEvery: 2 }) }) });
    for (let i = 0; i < 5; i++) await first.push('x', { eventId: `old${i}` });
    now = 3_600_001;
    await first.push('x', { eventId: 'new' });
    await first.push('x', { eventId: 'newer' });
    await first.host.close();
    const { state } = new LmdbJournal({ path }).recover();
    const kept = [...(state?.receipts ?? [])].map(({ id }) => JSON.parse(id)[1]);
    expect(kept).toEqual(['new']);
  });
});
