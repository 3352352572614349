// Makes a fresh clone runnable with nothing but Node and npm: the pinned pnpm installs from the lock file, tsc builds.
// Everything it has to say goes to stderr, so that stdout stays the caller's.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const stamp = join(root, 'node_modules', '.installed-from');

/** Runs a command with its output on stderr. @returns its exit code */
export const run = (command, args, env = {}) =>
  spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, ...env } }).status ?? 1;

export const bin = (name) => join(root, 'node_modules', '.bin', name);

const fail = (sentence) => {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
};

const checkNode = () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    fail(`Node ${manifest.engines.node} is needed; this is ${process.version}.`);
};

/** What an installation depends on; when it changes, install again. */
const wanted = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
    .update(process.version)
    .digest('hex');

const install = () => {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted()) return;
  process.stderr.write('installing packages …\n');
  // Another pnpm than the pinned one would try to switch to it and stumble over signatures.
  const args = ['--yes', manifest.packageManager, 'install', '--frozen-lockfile', '--reporter=append-only'];
  if (run('npx', args) !== 0) fail('installing failed; the lines above say why.');
  writeFileSync(stamp, wanted());
};

export const bootstrap = () => {
  checkNode();
  install();
  if (run(bin('tsc'), ['-b']) !== 0) fail('the build failed; the lines above say why.');
};
