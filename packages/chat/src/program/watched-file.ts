import { readFileSync } from 'node:fs';
import type { Log } from '@mcpl-bridges/producer';

/** How often the file is looked at, ms. */
const POLL_MS = 1000;

export interface WatchedFileOptions<T> {
  readonly path: string;
  /** What it is, for the log, e.g. `the filters`. */
  readonly what: string;
  /** @throws Error for what cannot be read */
  readonly read: () => T;
  readonly log: Log;
  readonly onChange: () => void;
}

/** What a file says now. One that cannot be read changes nothing: the last good one stays. */
export class WatchedFile<T> {
  private text: string | undefined;
  private present: T;
  private readonly timer: NodeJS.Timeout;

  /** @throws what `read` throws, where there is no first good one */
  constructor(private readonly options: WatchedFileOptions<T>) {
    this.text = textOf(options.path);
    this.present = options.read();
    this.timer = setInterval(() => this.look(), POLL_MS).unref();
  }

  get current(): T {
    return this.present;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Reads it now, where it is another than before. */
  look(): void {
    const { path, what, read, log, onChange } = this.options;
    const text = textOf(path);
    if (text === this.text) return;
    this.text = text;
    try {
      this.present = read();
    } catch (error) {
      log.error({ reason: (error as Error).message }, `${what} stay as they are`);
      return;
    }
    log.info({ path }, `${what} have changed`);
    onChange();
  }
}

/** `undefined` for a file that cannot be read. */
const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
