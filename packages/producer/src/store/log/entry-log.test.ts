import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Occurrence } from '../../occurrence/occurrence.js';
import type { WireForm } from '../../occurrence/wire-form.js';
import { append, attempt, describeStore, occurrence } from '../store.contract.js';
import type { StoreStep } from '../store.js';
import { EntryLog } from './entry-log.js';
import { Paper, PaperStore } from './paper-store.testkit.js';

/** A log, and what a store would have of it. */
class Disk {
  log = new EntryLog([]);
  readonly paper = new Paper();
  now = 1000;
  epoch = 'a';

  commit(steps: readonly StoreStep[], isRestated?: boolean) {
    const commit = this.log.plan(steps, isRestated);
    const kept = { epoch: this.epoch, at: this.now };
    this.paper.write(commit, kept);
    return { commit, clocks: this.log.apply(commit, kept) };
  }

  restart(): void {
    this.log = new EntryLog(this.paper.records);
  }
}

describeStore('paper', async () => {
  const paper = new Paper();
  const open = async () => new PaperStore(paper, () => ({ epoch: 'a', at: performance.now() }));
  return { open, dispose: async () => {}, lasting: true };
});

const SEQS = 12;
const seq = fc.integer({ min: 1, max: SEQS });
const text = fc.oneof(fc.constant(''), fc.string({ unit: 'binary' }), fc.constant('x'.repeat(200_000)));
const step: fc.Arbitrary<StoreStep> = fc.oneof(
  fc.tuple(seq, text).map(([n, said]) => ({ kind: 'amend' as const, seq: n, occurrence: occurrence(n, said) })),
  fc.tuple(seq, fc.integer({ min: 1, max: 9 })).map(([n, windowMs]) => attempt(n, windowMs)),
  seq.map((n) => ({ kind: 'forget' as const, seq: n })),
  seq.map((n) => ({ kind: 'bury' as const, seq: n, reason: 'expired' as const })),
  text.map((said) => ({ kind: 'append' as const, seq: 0, occurrence: occurrence(0, said) })),
);

interface Known {
  occurrence: Occurrence;
  wire?: WireForm;
  windowMs?: number;
  firstAt?: number;
}

it('a log says what its steps said, now, planned twice, and after a restart', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ steps: fc.array(step, { maxLength: 8 }), restarts: fc.boolean() }), { maxLength: 40 }),
      (commits) => {
        const disk = new Disk();
        const known = new Map<number, Known>();
        let lastSeq = 0;
        for (const { steps: drawn, restarts } of commits) {
          const buried: unknown[] = [];
          const clocks: unknown[] = [];
          disk.now += 10;
          const steps: StoreStep[] = [];
          for (const what of drawn) {
            if (what.kind === 'record') continue;
            const seq = what.kind === 'append' ? ++lastSeq + SEQS / 2 : what.seq;
            const entry = known.get(seq);
            const one = what.kind === 'attempt' ? attempt(seq, what.windowMs, entry?.occurrence) : { ...what, seq };
            steps.push(one);
            if (one.kind === 'append') known.set(seq, { occurrence: one.occurrence });
            if (one.kind === 'amend' && entry) known.set(seq, { occurrence: one.occurrence });
            if (one.kind === 'attempt' && entry) {
              entry.wire ??= one.wire;
              entry.firstAt ??= disk.now;
              entry.windowMs = Math.min(one.windowMs, entry.windowMs ?? one.windowMs);
            }
            if (one.kind === 'bury' && entry) buried.push(entry.occurrence);
            if (one.kind === 'bury' || one.kind === 'forget') known.delete(seq);
          }
          for (const one of steps)
            if (one.kind === 'attempt') {
              const { windowMs = one.windowMs, firstAt = disk.now } = known.get(one.seq) ?? {};
              clocks.push({ elapsedMs: disk.now - firstAt, windowMs });
            }
          expect(disk.log.plan(steps)).toEqual(disk.log.plan(steps));
          const { commit, clocks: told } = disk.commit(steps);
          expect(commit.buried.map((letter) => letter.occurrence)).toEqual(buried);
          expect(commit.waiting).toBe(known.size);
          expect(told).toEqual(clocks);
          if (restarts) disk.restart();
          for (const log of [disk.log, new EntryLog(disk.paper.records)])
            expect(log.read().entries).toEqual(
              [...known]
                .sort(([a], [b]) => a - b)
                .map(([n, { occurrence: last, wire }]) => ({ seq: n, occurrence: last, ...(wire ? { wire } : {}) })),
            );
        }
      },
    ),
    { verbose: 1 },
  );
});

describe('what waits for long', () => {
  const passBy = (disk: Disk, count: number, size: number): number => {
    let most = 0;
    for (let n = 1; n <= count; n++) {
      disk.now += 1;
      const passing = occurrence(1000 + n, 'x'.repeat(size));
      disk.commit([{ kind: 'append', seq: 1000 + n, occurrence: passing }, attempt(1000 + n, 3_600_000, passing)]);
      disk.commit([{ kind: 'forget', seq: 1000 + n }]);
      most = Math.max(most, disk.paper.length);
    }
    return most;
  };

  it('does not make the log grow with what passes by', () => {
    const disk = new Disk();
    disk.commit([append(1), attempt(1)]);
    expect(passBy(disk, 2000, 10_000)).toBeLessThan(2_000_000);
  });

  it('does not even if it is much', () => {
    const disk = new Disk();
    for (let n = 1; n <= 100; n++) disk.commit([append(n, 'x'.repeat(30_000))]);
    expect(passBy(disk, 2000, 30_000)).toBeLessThan(20_000_000);
  });

  it('keeps its clock when it is written again', () => {
    const disk = new Disk();
    disk.commit([append(1), attempt(1, 7000)]);
    passBy(disk, 500, 10_000);
    expect(disk.paper.records.some(({ number }) => number === 1)).toBe(false);
    disk.restart();
    expect(disk.commit([attempt(1, 9000)]).clocks).toEqual([{ elapsedMs: 500, windowMs: 7000 }]);
    disk.epoch = 'b';
    expect(disk.commit([attempt(1, 9000)]).clocks).toEqual([{ elapsedMs: 'unknown', windowMs: 7000 }]);
  });
});

it('a log that is told again what there is keeps what has a step to come', () => {
  const disk = new Disk();
  disk.commit([append(1), append(2), attempt(2), append(3), attempt(3)]);
  disk.now += 50;
  const again: StoreStep[] = [append(2), { ...attempt(2), sinceMs: 70 } as StoreStep];
  const { clocks } = disk.commit([...again, { kind: 'forget', seq: 3 }], true);
  expect(clocks).toEqual([{ elapsedMs: 70, windowMs: 3_600_000 }]);
  disk.restart();
  expect(disk.log.read().entries.map((entry) => entry.seq)).toEqual([1, 2]);
  expect(disk.commit([{ kind: 'bury', seq: 1, reason: 'withheld' }]).commit.buried).toEqual([
    { occurrence: occurrence(1), reason: 'withheld' },
  ]);
});
