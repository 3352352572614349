// How fast the host admits, in memory and durably, what a live subject costs, how long the host takes to come back, and
// how renders fan out. Ratios are what counts: machines are shared. Run by `npm run bench`; nothing here is a test.
//
// The clock is synthetic: 36 ms pass between two occurrences, so that the receipts of the last hour, which a host must
// keep, are 100,000, whatever else grows.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine, LmdbJournal, noAudit, noJournal } from '@mcpl-bridges/host';

const ROUNDS = 3;
const IN_FLIGHT = 256;
const HOUR = 3_600_000;
const PACE_MS = 36;
const now = () => performance.now();

const engineOver = (journal, clock) =>
  new Engine({
    clock,
    journal,
    audit: noAudit,
    route: () => ['main'],
    render: async () => ({ kind: 'lapsed' }),
    settings: { maxSubjects: 2_000_000 },
  });

const occurrence = (n, subjects) => ({
  binding: 'b',
  eventId: `e${n}`,
  timestamp: '2026-01-01T00:00:00Z',
  content: [{ type: 'text', text: 'a message of a usual length, as people write them' }],
  tags: ['chat:from-human', 'chat:ambient'],
  treatment: {
    kind: 'plain',
    scope: { kind: 'channel', channelId: 'c' },
    key: `message:${n % subjects}`,
    initial: n < subjects,
  },
});

/** A host's life at one pace: every occurrence is the next edit of the next subject. */
class Life {
  n = 0;
  constructor(journal, subjects) {
    this.subjects = subjects;
    this.engine = engineOver(journal, { now: () => this.n * PACE_MS });
  }

  /** Admits `count` occurrences, 256 at once, and waits until each is durable. */
  async admit(count) {
    for (let done = 0; done < count; done += IN_FLIGHT) {
      const durable = [];
      for (let i = done; i < Math.min(done + IN_FLIGHT, count); i++)
        durable.push(this.engine.admit(occurrence(this.n++, this.subjects), HOUR).durable);
      await Promise.all(durable);
    }
  }

  async rate(count) {
    const started = now();
    await this.admit(count);
    return count / ((now() - started) / 1000);
  }
}

const spread = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  return { median, spread: `${Math.round((100 * (sorted.at(-1) - sorted[0])) / median)} %` };
};

const report = (name, values, unit) => {
  const { median, spread: width } = spread(values);
  const number = median < 10 ? median.toFixed(2) : Math.round(median).toLocaleString('en');
  process.stdout.write(`${name.padEnd(62)} ${number.padStart(10)} ${unit.padEnd(6)} spread ${width}\n`);
};

const withFolder = async (use) => {
  const path = mkdtempSync(join(tmpdir(), 'mcpl-bench-'));
  try {
    return await use(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
};

const count = (n) => n.toLocaleString('en');

const inMemory = async (subjects) => {
  globalThis.gc();
  const empty = process.memoryUsage().heapUsed;
  const life = new Life(noJournal, subjects);
  await life.admit(subjects);
  globalThis.gc();
  const heap = process.memoryUsage().heapUsed - empty;
  const rates = [];
  for (let i = 0; i < ROUNDS; i++) rates.push(await life.rate(100_000));
  report(`admitted in memory, ${count(subjects)} subjects`, rates, '/s');
  report(`heap a live subject, its entry and its receipt, of ${count(subjects)}`, [heap / subjects], 'bytes');
};

const durably = (subjects) =>
  withFolder(async (path) => {
    const journal = new LmdbJournal({ path });
    const life = new Life(journal, subjects);
    await life.admit(subjects);
    const rates = [];
    for (let i = 0; i < ROUNDS; i++) rates.push(await life.rate(40_000));
    report(`admitted durably, ${count(subjects)} subjects`, rates, '/s');
    await journal.close();
    await recovery(path, `${count(subjects)} subjects live`);
  });

const recovery = async (path, what) => {
  const took = [];
  for (let i = 0; i < ROUNDS; i++) {
    const started = now();
    const journal = new LmdbJournal({ path });
    engineOver(journal, { now: () => 0 });
    took.push(now() - started);
    await journal.close();
  }
  report(`recovery, ${what}`, took, 'ms');
};

/** 1,000 live subjects after ever more history. */
const history = () =>
  withFolder(async (path) => {
    let journal = new LmdbJournal({ path });
    const life = new Life(journal, 1000);
    for (const upTo of [100_000, 400_000, 1_000_000]) {
      const rates = [await life.rate(upTo - life.n)];
      report(`admitted durably, up to ${count(upTo)} occurrences`, rates, '/s');
      await journal.close();
      await recovery(path, `1,000 subjects live after ${count(upTo)} occurrences`);
      process.stdout.write(`  on disk: ${(statSync(join(path, 'data.mdb')).size / 2 ** 20).toFixed(1)} MiB\n`);
      journal = new LmdbJournal({ path });
      const { n } = life;
      life.engine = engineOver(journal, { now: () => life.n * PACE_MS });
      life.n = n;
    }
    await journal.close();
  });

/** An assembly over that many batches, each asked of a server that takes `serverMs`. */
const fanOut = async (batches, serverMs) => {
  const took = [];
  for (let i = 0; i < ROUNDS; i++) {
    const engine = new Engine({
      clock: { now: () => 0 },
      journal: noJournal,
      audit: noAudit,
      route: () => ['main'],
      render: async () => {
        await new Promise((resolve) => setTimeout(resolve, serverMs));
        return { kind: 'rendered', content: [{ type: 'text', text: 'rendered' }] };
      },
    });
    for (let n = 0; n < batches; n++) {
      const { treatment, ...rest } = occurrence(n, batches);
      engine.admit({ ...rest, treatment: { ...treatment, kind: 'deferred', featureSet: 'f' } }, HOUR);
    }
    const started = now();
    await engine.assemble('main');
    took.push(now() - started);
  }
  report(`assembly of ${count(batches)} batches, each rendered in ${serverMs} ms`, took, 'ms');
};

if (!globalThis.gc) throw new Error('run by npm run bench');
for (const subjects of [1000, 100_000, 1_000_000]) await inMemory(subjects);
for (const subjects of [1000, 100_000, 1_000_000]) await durably(subjects);
await history();
for (const batches of [1, 64, 1000]) await fanOut(batches, 50);
