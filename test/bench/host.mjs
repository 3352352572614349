// How fast the host admits, in memory and durably, and how long it takes to come back. Ratios are what counts: machines
// are shared. Run by `npm run bench`; nothing here is a test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine, LmdbJournal, noAudit, noJournal } from '@mcpl-bridges/host';

const ROUNDS = 5;
const now = () => performance.now();

const engineOver = (journal) =>
  new Engine({
    clock: { now: Date.now },
    journal,
    audit: noAudit,
    route: () => ['main'],
    render: async () => ({ kind: 'lapsed' }),
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

/** Admissions a second, `inFlight` at once. */
const admissions = async (journal, subjects, count, inFlight = 256) => {
  const engine = engineOver(journal);
  for (let n = 0; n < subjects; n++) engine.admit(occurrence(n, subjects), 3_600_000);
  const started = now();
  for (let n = 0; n < count; n += inFlight) {
    const durable = [];
    for (let i = n; i < Math.min(n + inFlight, count); i++)
      durable.push(engine.admit(occurrence(subjects + i, subjects), 3_600_000).durable);
    await Promise.all(durable);
  }
  return count / ((now() - started) / 1000);
};

const spread = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  return { median, spread: `${Math.round((100 * (sorted.at(-1) - sorted[0])) / median)} %` };
};

const withFolder = async (use) => {
  const path = mkdtempSync(join(tmpdir(), 'mcpl-bench-'));
  try {
    return await use(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
};

const durable = (subjects, count) =>
  withFolder(async (path) => {
    const journal = new LmdbJournal({ path });
    const rate = await admissions(journal, subjects, count);
    await journal.close();
    return rate;
  });

/** ms to come back after `history` occurrences over `live` subjects. */
const recovery = (live, history) =>
  withFolder(async (path) => {
    const journal = new LmdbJournal({ path });
    await admissions(journal, live, history);
    await journal.close();
    const started = now();
    const again = new LmdbJournal({ path });
    engineOver(again);
    const took = now() - started;
    await again.close();
    return took;
  });

const report = (name, values, unit) => {
  const { median, spread: width } = spread(values);
  process.stdout.write(
    `${name.padEnd(52)} ${Math.round(median).toLocaleString('en').padStart(10)} ${unit}  ±${width}\n`,
  );
};

const rounds = async (measure) => {
  const values = [];
  for (let i = 0; i < ROUNDS; i++) values.push(await measure());
  return values;
};

for (const subjects of [1_000, 90_000])
  report(
    `admitted in memory, ${subjects.toLocaleString('en')} subjects`,
    await rounds(() => admissions(noJournal, subjects, 50_000)),
    '/s',
  );
for (const subjects of [1_000, 90_000])
  report(
    `admitted durably, ${subjects.toLocaleString('en')} subjects`,
    await rounds(() => durable(subjects, 20_000)),
    '/s',
  );
for (const history of [20_000, 100_000])
  report(
    `recovery, 1,000 subjects after ${history.toLocaleString('en')} edits`,
    await rounds(() => recovery(1_000, history)),
    'ms',
  );
