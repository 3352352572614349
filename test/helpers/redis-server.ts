import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './network.js';

const KEEPS_EVERYTHING = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
const REPLICATES_AT_ONCE = ['--repl-diskless-sync-delay', '0'];

/** A `redis-server` of the test's own, which keeps everything it has confirmed, and may be killed. */
export class RedisServer {
  private child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly dir: string,
    private readonly args: readonly string[],
  ) {}

  /** @param settings further arguments of `redis-server` */
  static async start(settings: readonly string[] = []): Promise<RedisServer> {
    const [port, dir] = [await freePort(), mkdtempSync(join(tmpdir(), 'mcpl-redis-'))];
    const address = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', dir];
    const server = new RedisServer(port, dir, [...address, ...KEEPS_EVERYTHING, ...REPLICATES_AT_ONCE, ...settings]);
    await server.up();
    return server;
  }

  /** A Sentinel that watches the master at `port` and decides by itself. */
  static async startSentinel(port: number): Promise<RedisServer> {
    const [own, dir] = [await freePort(), mkdtempSync(join(tmpdir(), 'mcpl-sentinel-'))];
    const settings = ['down-after-milliseconds mymaster 500', 'failover-timeout mymaster 2000'];
    const lines = [`monitor mymaster 127.0.0.1 ${port} 1`, ...settings].map((line) => `sentinel ${line}`);
    writeFileSync(join(dir, 'sentinel.conf'), [`port ${own}`, 'bind 127.0.0.1', `dir ${dir}`, ...lines, ''].join('\n'));
    const server = new RedisServer(own, dir, [join(dir, 'sentinel.conf'), '--sentinel']);
    await server.up();
    return server;
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Starts it again where it was. */
  async up(): Promise<void> {
    const child = spawn('redis-server', this.args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      child.once('error', () => reject(new Error('this test kills a redis-server of its own: one must be on PATH')));
      child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
      child.stdout.on('data', (text) => /Ready to accept connections|Sentinel ID is/.test(String(text)) && resolve());
    });
  }

  async stop(): Promise<void> {
    await this.kill();
    // A child that was writing a snapshot may outlive it for a moment.
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
