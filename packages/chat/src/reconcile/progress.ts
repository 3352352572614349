import type { Log } from '@mcpl-bridges/producer';

/** Channels after which it is told how far it is. */
const EVERY = 100;

/** Tells in the log how far catching up is, where it takes more than a moment. */
export class Progress {
  private waiting = 0;
  private looked = 0;
  private news = 0;

  constructor(private readonly log: Log) {}

  begun(): void {
    this.waiting += 1;
  }

  /** @param found how much was missed in the channel that was looked at */
  ended(found: number): void {
    this.waiting -= 1;
    this.looked += 1;
    this.news += found;
    if (this.waiting === 0) {
      if (this.news > 0 || this.looked > 1)
        this.log.info({ channels: this.looked, news: this.news }, 'caught up with what happened meanwhile');
      this.looked = 0;
      this.news = 0;
    } else if (this.looked % EVERY === 0)
      this.log.info({ looked: this.looked, waiting: this.waiting, news: this.news }, 'catching up');
  }
}
