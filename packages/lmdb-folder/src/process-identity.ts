import { readFileSync } from 'node:fs';

/** A process, told apart from one that has its number after it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from the boot to its start, where the system tells. */
  readonly startedAt: string | undefined;
}

/** When a process started; `undefined` where it does not exist or the system does not tell. */
const startOf = (pid: number): string | undefined => {
  try {
    // The program's name, in parentheses, may hold anything; the 20th field behind it is `starttime`.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
};

export const thisProcess = (): ProcessIdentity => ({ pid: process.pid, startedAt: startOf(process.pid) });

export const isAlive = ({ pid, startedAt }: ProcessIdentity): boolean => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is one all the same.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startedAt === undefined || startOf(pid) === startedAt;
};
