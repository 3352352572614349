import { spawn } from 'node:child_process';
import { LineTransport } from '@mcpl-bridges/transport';

export interface ServerCommand {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** What a child inherits besides its own `env`; everything else of the host's environment stays with the host. */
export const INHERITED_ENV = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'TZ',
  'TMPDIR',
  'XDG_STATE_HOME',
];

export interface SpawnedServer {
  readonly transport: LineTransport;
  readonly pid: number | undefined;
  /** Resolves with the exit code, or with the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals | null>;
  /** Closes stdin, then SIGTERM, then SIGKILL; resolves when the process is gone. */
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

const environment = (own: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ...Object.fromEntries(
    INHERITED_ENV.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? '']])),
  ),
  ...own,
});

/**
 * Starts a server as a child process that speaks newline-delimited JSON on its standard streams.
 * @param onStderr receives what the server logs, in pieces as they come
 */
export const spawnServer = (
  server: ServerCommand,
  onStderr: (text: string) => void,
  graceMs = 2000,
): Promise<SpawnedServer> =>
  new Promise((resolve, reject) => {
    const child = spawn(server.command, server.args ?? [], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: environment(server.env),
      ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
    });
    child.stderr.setEncoding('utf8').on('data', onStderr);
    child.stdin.on('error', () => {});
    const exited = new Promise<number | NodeJS.Signals | null>((done) =>
      child.once('exit', (code, signal) => done(code ?? signal)),
    );
    child.once('error', (error) => reject(new Error(`cannot start ${server.command}: ${error.message}`)));
    child.once('spawn', () => {
      const within = (ms: number): Promise<boolean> => {
        let timer: NodeJS.Timeout;
        const late = new Promise<boolean>((done) => {
          timer = setTimeout(() => done(false), ms);
        });
        return Promise.race([exited.then(() => true), late]).finally(() => clearTimeout(timer));
      };
      resolve({
        transport: new LineTransport({ input: child.stdout, output: child.stdin }),
        pid: child.pid,
        exited,
        kill: (signal) => void child.kill(signal),
        stop: async () => {
          child.stdin.end();
          if (await within(graceMs)) return;
          child.kill('SIGTERM');
          if (await within(graceMs)) return;
          child.kill('SIGKILL');
          await exited;
        },
      });
    });
  });
