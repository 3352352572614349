import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INHERITED_ENV } from '@mcpl-bridges/host';
import { ROOT } from '../repository/files.js';
import { afterThisTest } from './cleanup.js';

const require = createRequire(import.meta.url);

export const BRIDGE = require.resolve('discord-mcpl/bin');
export const PORTAL_BRIDGE = require.resolve('portal-mcpl/bin');
export const HOST = join(ROOT, 'apps/mcpl-host/bin/mcpl-host.js');
export const DEMO = join(ROOT, 'apps/demo/dist/main.js');

export interface Program {
  readonly pid: number;
  /** Everything written so far. */
  stdout(): string;
  stderr(): string;
  /** Standard output as JSON, a value a line. @throws for a line that is no JSON */
  lines(): Record<string, unknown>[];
  write(bytes: string | Uint8Array): void;
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<number | NodeJS.Signals | null>;
}

/** Runs a program with only the environment it is given; what still runs after the test is killed. */
export const startProgram = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Program => {
  const inherited = INHERITED_ENV.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  // A state directory of its own: what one program keeps is no other's.
  const state = mkdtempSync(join(tmpdir(), 'mcpl-state-'));
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), XDG_STATE_HOME: state, ...env },
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (texts.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (texts.stderr += text));
  child.stdin.on('error', () => {});
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  afterThisTest(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(state, { recursive: true, force: true });
  });
  return {
    pid: child.pid ?? -1,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    lines: () =>
      texts.stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    write: (bytes) => void child.stdin.write(bytes),
    endInput: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    exited,
  };
};

export const node = (
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Program => startProgram(process.execPath, [script, ...args], env);
