import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A clock that goes on while processes come and go, and starts anew with the machine. */
export interface BootClock {
  /** Names this run of the machine; two readings compare only under one name. */
  readonly bootId: string;
  /** ms on the machine's monotonic clock. */
  now(): number;
}

const readBootId = (): string | undefined => {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (process.platform === 'darwin')
      return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
  } catch {
    // A machine that does not tell is taken to have been started with this process.
  }
  return undefined;
};

/** The machine's own. Where it does not name its boots, every process is one: nothing is known across a restart. */
export const bootClock = (): BootClock => ({
  bootId: readBootId() ?? randomUUID(),
  now: () => Number(process.hrtime.bigint() / 1_000_000n),
});
