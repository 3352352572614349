// Everything that must hold before a change lands. The last line is the plain count.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin, bootstrap, root, run } from './bootstrap.mjs';
import { findChromium } from './chromium.mjs';
import { findCorpus, runCases, runCorpus } from './conformance.mjs';
import { findRedis } from './redis.mjs';

const CHECKS = [
  ['lint', 'biome', ['check', '--error-on-warnings', '.']],
  ['types of the tests', 'tsc', ['-p', 'tsconfig.tests.json']],
  ['dead code', 'knip', []],
];

const runChecks = () =>
  CHECKS.map(([name, command, args]) => {
    process.stderr.write(`\n— ${name}\n`);
    return run(bin(command), args) === 0;
  });

const runTests = async (found, report) => {
  process.stderr.write('\n— tests\n');
  const args = [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ];
  const env = { ...process.env, ...found };
  const vitest = spawn(bin('vitest'), args, { cwd: root, stdio: ['ignore', 2, 2], env });
  const [code] = await once(vitest, 'exit');
  const counts = readCounts(report);
  // A run that broke off, or an error outside every test, is a failure even where every test passed.
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
};

const readCounts = (report) => {
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
};

bootstrap();
const checks = runChecks();
const dir = mkdtempSync(join(tmpdir(), 'mcpl-test-'));
let redis;
let counts = { passed: 0, failed: 1, skipped: 0 };
try {
  redis = await findRedis();
  counts = await runTests({ REDIS_URL: redis.url, CHROMIUM: findChromium() }, join(dir, 'report.json'));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
} finally {
  await redis?.stop();
  rmSync(dir, { recursive: true, force: true });
}
// After the tests, alone on the machine: some of these measure time.
const runs = [];
if (process.argv.length <= 2) {
  for (const profile of ['strict', 'conservative']) {
    process.stderr.write(`\n— RFC-006, the host as ${profile}\n`);
    runs.push(await runCases(profile));
  }
  const corpus = findCorpus();
  if (corpus) {
    process.stderr.write('\n— public RFC-006 corpus\n');
    runs.push(await runCorpus(corpus, []));
  }
}
const sum = (what) => runs.reduce((total, one) => total + one[what], 0);
const passed = counts.passed + sum('passed') + checks.filter(Boolean).length;
const failed = counts.failed + sum('failed') + checks.filter((ok) => !ok).length;
process.stdout.write(`${passed} passed, ${failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}\n`);
process.exit(failed === 0 ? 0 : 1);
