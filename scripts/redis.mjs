// A real Redis for the tests: the one REDIS_URL names, or one of our own on a free loopback port.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installFromDebian } from './debian.mjs';

const onPath = () => spawnSync('redis-server', ['--version']).status === 0;

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
};

/** @returns {Promise<{url: string, stop: () => Promise<void>}>} */
export const findRedis = async () => {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, stop: async () => {} };
  if (!onPath() && !(installFromDebian('redis-server') && onPath()))
    throw new Error(
      'The tests need a real Redis: set REDIS_URL, or install one (Debian/Ubuntu: apt-get install redis-server; macOS: brew install redis).',
    );
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'mcpl-redis-'));
  const args = ['--port', port, '--bind', '127.0.0.1', '--dir', dir, '--appendonly', 'yes', '--save', ''];
  const server = spawn('redis-server', args.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(server, 'exit');
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    server.stdout.on('data', (text) => String(text).includes('Ready to accept connections') && resolve());
  });
  server.stdout.resume();
  const stop = async () => {
    server.kill('SIGTERM');
    await exited;
    rmSync(dir, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${port}`, stop };
};
