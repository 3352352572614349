import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startProgram } from '../helpers/programs.js';
import { ROOT } from './files.js';

it('says in one sentence what to install where no Redis is and none can be installed', async () => {
  const path = mkdtempSync(join(tmpdir(), 'path-'));
  symlinkSync(process.execPath, join(path, 'node'));
  const script = `
    process.getuid = () => 1000;
    import('${ROOT}scripts/redis.mjs').then((m) => m.findRedis()).catch((error) => console.log(error.message));`;
  const program = startProgram(process.execPath, ['--input-type=module', '-e', script], { PATH: path });
  await program.exited;
  expect(program.stdout()).toBe(
    'The tests need a real Redis: set REDIS_URL, or install one (Debian/Ubuntu: apt-get install redis-server; macOS: brew install redis).\n',
  );
});
