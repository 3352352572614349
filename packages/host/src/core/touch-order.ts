import type { Subject } from './subject.js';

/**
 * The subjects of one binding, in the order in which they were last spoken of. A map would keep that order as well, but
 * walks over the holes that its oldest entries leave.
 */
export class TouchOrder {
  size = 0;
  private oldest: Subject | undefined;
  private newest: Subject | undefined;

  /** Adds a subject as the newest. */
  add(subject: Subject): void {
    subject.older = this.newest;
    subject.newer = undefined;
    if (this.newest) this.newest.newer = subject;
    else this.oldest = subject;
    this.newest = subject;
    this.size += 1;
  }

  remove(subject: Subject): void {
    if (subject.older) subject.older.newer = subject.newer;
    else this.oldest = subject.newer;
    if (subject.newer) subject.newer.older = subject.older;
    else this.newest = subject.older;
    subject.older = undefined;
    subject.newer = undefined;
    this.size -= 1;
  }

  touch(subject: Subject): void {
    if (subject === this.newest) return;
    this.remove(subject);
    this.add(subject);
  }

  /** The first of the `atMost` oldest that `fits`. */
  findOldest(fits: (subject: Subject) => boolean, atMost: number): Subject | undefined {
    let looked = 0;
    for (let one = this.oldest; one && looked < atMost; one = one.newer, looked++) if (fits(one)) return one;
    return undefined;
  }
}
