// The public RFC-006 corpus against the reference host: real host processes, a real WebSocket, SIGKILL where it says kill.
//   npm run conformance -- [--corpus DIR] [--revision 7|8|both] [--case 21,34] [--report out.json]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
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

const main = async (argv) => {
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

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
