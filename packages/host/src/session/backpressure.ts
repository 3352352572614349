import type { Pausable } from '@mcpl-bridges/transport';

/** Admissions that may wait for the disk before the server is made to wait. */
const HIGH_WATER = 1024;

/**
 * Makes a server wait while the disk is behind. This is not capacity: nothing is refused, nothing degrades, and it goes
 * on as soon as half of what waited is durable.
 */
export class Backpressure {
  private waiting = 0;
  private paused = false;

  constructor(
    private readonly transport: Pausable | undefined,
    private readonly highWater = HIGH_WATER,
  ) {}

  /** An admission is on its way to the disk. */
  during(durable: Promise<void>): void {
    this.waiting += 1;
    if (!this.paused && this.waiting >= this.highWater) {
      this.paused = true;
      this.transport?.pause();
    }
    const done = (): void => this.done();
    durable.then(done, done);
  }

  private done(): void {
    this.waiting -= 1;
    if (!this.paused || this.waiting > this.highWater / 2) return;
    this.paused = false;
    this.transport?.resume();
  }
}
