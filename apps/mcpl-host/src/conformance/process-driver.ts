import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { HostCommand, HostDriver, HostSetup, Observed, RunningHost } from '@mcpl-bridges/conformance';
import { PROFILES, type ProfileName } from '@mcpl-bridges/host';
import type { WorkerAnswer, WorkerEvent } from './messages.js';

/** The host under test as a process of its own. */
class HostProcess implements RunningHost {
  private readonly waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  private nextId = 1;

  private constructor(
    private readonly child: ChildProcess,
    private readonly observed: Observed,
  ) {}

  static async start(setup: HostSetup, observed: Observed): Promise<HostProcess> {
    const script = fileURLToPath(new URL('./worker.js', import.meta.url));
    const child = fork(script, [JSON.stringify(setup)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const host = new HostProcess(child, observed);
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the host process ended with ${code}`)));
      child.on('message', (message: WorkerEvent | WorkerAnswer) => {
        if ('event' in message && message.event === 'ready') resolve();
        else host.receive(message);
      });
    });
    child.once('exit', () => host.gone());
    return host;
  }

  run<T = unknown>(command: HostCommand): Promise<T> {
    const id = this.nextId++;
    return new Promise<unknown>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.child.send({ id, command });
    }) as Promise<T>;
  }

  /** SIGKILL: nothing is said good-bye to. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await exited;
  }

  async stop(): Promise<void> {
    await this.run({ op: 'stop' });
    await this.kill();
  }

  private receive(message: WorkerEvent | WorkerAnswer): void {
    if ('id' in message) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error === undefined) waiting?.resolve(message.result);
      else waiting?.reject(new Error(message.error));
      return;
    }
    if (message.event === 'modelCall') this.observed.requests.push(message.call);
    if (message.event === 'modelFailure') this.observed.modelFailures += 1;
    if (message.event === 'wake') this.observed.wakes.push(message.wake);
  }

  private gone(): void {
    for (const { reject } of this.waiting.values()) reject(new Error('the host process is gone'));
    this.waiting.clear();
  }
}

/** This host, in real processes, playing `profile`. */
export const processDriver = (profile: ProfileName): HostDriver => ({
  name: 'mcpl-host',
  profile,
  consumption: PROFILES[profile].consumption,
  start: (setup, observed) => HostProcess.start(setup, observed),
});
