// RFC-006 against the reference host: real host processes, a real WebSocket, SIGKILL where it says kill.
//   npm run conformance -- [--profile NAME] [--case 2,20a] [--report FILE]      its cases, as we tell them
//   npm run conformance -- --public [--corpus DIR] [--revision 7|8|both] [--case 21,34] [--report FILE]   the public corpus
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap, root } from './bootstrap.mjs';

/** Where the corpus lies unless told otherwise; `undefined` where it does not. */
export const findCorpus = (folder = join(root, '../shared/conformance')) =>
  existsSync(join(folder, 'run-corpus.mjs')) ? folder : undefined;

/** Runs the corpus with everything it prints on stderr. @returns {Promise<{passed: number, failed: number}>} */
export const runCorpus = async (folder, args) => {
  const adapter = join(root, 'apps/mcpl-host/dist/conformance/adapter.js');
  const runner = [join(folder, 'run-corpus.mjs'), '--adapter', adapter, '--root', root, ...args];
  const child = spawn(process.execPath, runner, { stdio: ['ignore', 'pipe', 2] });
  let text = '';
  child.stdout.on('data', (part) => {
    text += part;
    process.stderr.write(part);
  });
  const [code] = await once(child, 'close');
  const counts = /(\d+) pass, (\d+) fail, (\d+) unexercised, (\d+) error of (\d+)\s*$/.exec(text);
  if (!counts) return { passed: 0, failed: 1 };
  const [passed, all] = [Number(counts[1]), Number(counts[5])];
  // What was not exercised has not passed.
  return { passed, failed: Math.max(all - passed, code === 0 ? 0 : 1) };
};

const host = (args, stdout) =>
  spawn(process.execPath, [join(root, 'apps/mcpl-host/bin/mcpl-host.js'), 'conformance', ...args], {
    stdio: ['ignore', stdout, 2],
  });

/** Runs the cases against the host as `profile`, with the table on stderr. @returns {Promise<{passed: number, failed: number}>} */
export const runCases = async (profile) => {
  const dir = mkdtempSync(join(tmpdir(), 'mcpl-cases-'));
  try {
    const report = join(dir, 'report.json');
    const [code] = await once(host(['--profile', profile, '--report', report], 2), 'close');
    const { pass, results } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: pass, failed: Math.max(results.length - pass, code === 0 ? 0 : 1) };
  } catch {
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

const runPublic = async (argv) => {
  const at = argv.indexOf('--corpus');
  const [, given] = at === -1 ? [] : argv.splice(at, 2);
  const folder = findCorpus(given);
  if (!folder) {
    process.stderr.write(
      'There is no corpus here: name the folder with run-corpus.mjs and its vectors by --corpus DIR.\n',
    );
    return 2;
  }
  bootstrap();
  const { failed } = await runCorpus(folder, argv);
  return failed === 0 ? 0 : 1;
};

const main = async (argv) => {
  if (argv.includes('--public')) return runPublic(argv.filter((arg) => arg !== '--public'));
  bootstrap();
  const [code] = await once(host(argv, 1), 'close');
  return code ?? 1;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
