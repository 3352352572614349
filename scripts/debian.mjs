// What the tests need beside npm's packages, where Debian has it and we may install it.
import { existsSync } from 'node:fs';
import { run } from './bootstrap.mjs';

/** @returns {boolean} whether it is there now */
export const installFromDebian = (name) => {
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) return false;
  process.stderr.write(`installing ${name} …\n`);
  // RUNLEVEL=1 keeps packages from starting servers of their own.
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const packages = ['install', '-y', '-qq', '--no-install-recommends', name];
  return (
    run('apt-get', packages, env) === 0 ||
    (run('apt-get', ['update', '-qq'], env) === 0 && run('apt-get', packages, env) === 0)
  );
};
