import { plainText } from '@mcpl-bridges/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AdmittedOccurrence, Engine, type Journal, noAudit, type RenderEnd } from './index.js';
import { Oracle, type OracleOccurrence } from './oracle.testkit.js';
import { paperJournal } from './paper-journal.testkit.js';

/** Programs in a run; `npm run soak` asks for more. */
const RUNS = Number(process.env.MCPL_ORACLE_RUNS ?? 10_000);

const CONTEXTS = ['A', 'B', 'C'] as const;
const SCOPE = { kind: 'channel', channelId: 'c' } as const;

type Step =
  | { do: 'occur'; kind: OracleOccurrence['kind']; key: string; initial: boolean; empty: boolean }
  | { do: 'retry'; back: number }
  | { do: 'audience'; contexts: readonly string[] }
  | { do: 'begin'; context: string }
  | { do: 'end'; how: 'rendered' | 'empty' | 'fallback' }
  | { do: 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('occur' as const),
      kind: fc.constantFrom<OracleOccurrence['kind']>(
        'plain',
        'plain',
        'plain',
        'retract',
        'deferred',
        'deferred',
        'ordinary',
      ),
      key: fc.constantFrom('K', 'L'),
      initial: fc.boolean(),
      empty: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retry' as const), back: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('audience' as const),
      contexts: fc.subarray([...CONTEXTS], { minLength: 1 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('begin' as const), context: fc.constantFrom(...CONTEXTS) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      how: fc.constantFrom('rendered' as const, 'empty' as const, 'fallback' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

/** The engine and the oracle through the same program, compared after every step. */
class Duel {
  private readonly oracle = new Oracle();
  private readonly sent: { engine: AdmittedOccurrence; oracle: OracleOccurrence }[] = [];
  private readonly reopen: () => Journal;
  private held: ((end: RenderEnd) => void)[] = [];
  private assembly: { context: string; done: Promise<unknown> } | undefined;
  private audience: readonly string[] = CONTEXTS;
  private engine: Engine;
  private n = 0;

  constructor(snapshotEvery: number) {
    this.reopen = paperJournal(snapshotEvery);
    this.engine = this.start();
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const one of steps) {
      await this.take(one);
      this.compare();
    }
    if (this.assembly) await this.end('fallback');
    for (const context of CONTEXTS) {
      await this.begin(context);
      await this.end('fallback');
    }
    this.compare();
  }

  private start(): Engine {
    return new Engine({
      clock: { now: () => this.n },
      journal: this.reopen(),
      audit: noAudit,
      route: () => this.audience,
      render: () => new Promise((resolve) => this.held.push(resolve)),
    });
  }

  private async take(one: Step): Promise<void> {
    switch (one.do) {
      case 'occur':
        return this.occur(one);
      case 'retry': {
        const earlier = this.sent.at(-one.back);
        if (earlier) this.admit(earlier);
        return;
      }
      case 'audience':
        this.audience = one.contexts;
        return;
      case 'begin':
        if (!this.assembly) await this.begin(one.context);
        return;
      case 'end':
        if (this.assembly) await this.end(one.how);
        return;
      case 'restart':
        this.held = [];
        this.assembly = undefined;
        this.engine = this.start();
        this.oracle.restart(this.audience);
    }
  }

  private occur({ kind, key, initial, empty }: Extract<Step, { do: 'occur' }>): void {
    this.n += 1;
    const eventId = `e${this.n}`;
    const text = empty && kind !== 'plain' ? '' : `${kind} ${this.n}`;
    const common = { scope: SCOPE, key };
    const treatments = {
      ordinary: { kind: 'ordinary' },
      plain: { kind: 'plain', ...common, initial },
      retract: { kind: 'retract', ...common },
      deferred: { kind: 'deferred', ...common, initial, featureSet: 'f' },
    } as const;
    const content = text === '' ? [] : [{ type: 'text' as const, text }];
    const engine = {
      binding: 'b',
      eventId,
      timestamp: '2026-01-01T00:00:00Z',
      content,
      tags: [],
      treatment: treatments[kind],
    };
    const pair = { engine, oracle: { eventId, kind, subject: key, initial, text } };
    this.sent.push(pair);
    this.admit(pair);
  }

  private admit({ engine, oracle }: { engine: AdmittedOccurrence; oracle: OracleOccurrence }): void {
    const { receipt } = this.engine.admit(engine, 3_600_000);
    expect(receipt.coalesce?.outcome).toBe(this.oracle.admit(oracle, this.audience));
  }

  private async begin(context: string): Promise<void> {
    this.assembly = { context, done: this.engine.assemble(context) };
    this.oracle.begin(context);
    await Promise.resolve();
    // Without a batch to wait for, an assembly is over as soon as it has begun.
    if (this.held.length === 0) await this.end('fallback');
  }

  private async end(how: 'rendered' | 'empty' | 'fallback'): Promise<void> {
    const { assembly } = this;
    if (!assembly) return;
    const text = `render ${this.n}`;
    const ends: Record<typeof how, RenderEnd> = {
      rendered: { kind: 'rendered', content: [{ type: 'text', text }] },
      empty: { kind: 'rendered', content: [] },
      fallback: { kind: 'fallback', why: 'told to' },
    };
    for (const resolve of this.held.splice(0)) resolve(ends[how]);
    await assembly.done;
    this.assembly = undefined;
    const results = { rendered: text, empty: '', fallback: undefined };
    this.oracle.end(assembly.context, results[how], this.audience);
  }

  private compare(): void {
    for (const context of CONTEXTS) {
      const { read, unread } = this.oracle.texts(context);
      const texts = this.engine.entries(context).map((entry) => plainText([...entry.content]));
      expect([context, ...texts]).toEqual([context, ...read, ...unread]);
    }
  }
}

const occur = (kind: OracleOccurrence['kind'], key: string): Step => ({
  do: 'occur',
  kind,
  key,
  initial: false,
  empty: false,
});

/** What once failed, with the interval of snapshots at which it did. */
const ONCE_FAILED: [Step[], number][] = [
  // A snapshot gave batches back in another order than they were opened in.
  [[occur('deferred', 'K'), occur('deferred', 'L'), occur('deferred', 'K'), { do: 'restart' }], 1],
  // So did the end of renders that a crash had cut off.
  [
    [
      occur('deferred', 'K'),
      occur('deferred', 'L'),
      occur('deferred', 'K'),
      { do: 'begin', context: 'A' },
      { do: 'restart' },
    ],
    1,
  ],
];

it(`the reducer does what the rules say, in ${RUNS} random programs`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 20 }), (steps, every) =>
      new Duel(every).run(steps),
    ),
    { numRuns: RUNS, examples: ONCE_FAILED },
  );
}, 600_000);
