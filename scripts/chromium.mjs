// A real browser for the tests: the one CHROMIUM names, or one on the PATH, or Debian's.
import { spawnSync } from 'node:child_process';
import { installFromDebian } from './debian.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const onPath = () => NAMES.find((name) => spawnSync(name, ['--version']).status === 0);

const pathOf = (name) => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();

/** @returns {string} the path of its program */
export const findChromium = () => {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const found = onPath() ?? (installFromDebian('chromium') ? onPath() : undefined);
  if (!found)
    throw new Error(
      'The tests need a real browser: set CHROMIUM to the path of one, or install it (Debian/Ubuntu: apt-get install chromium; macOS: brew install chromium).',
    );
  return pathOf(found);
};
