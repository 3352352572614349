import type { Channel } from '@mcpl-bridges/producer';
import { ACTIVITY, beginning, changesBetween, fallbackFor, type Said } from './activity.js';
import type { People } from './people.js';
import type { Teller } from './teller.js';

/** Tells what has changed as one subject a channel, told in one line when the agent looks (RFC-006 §9.5). */
export class ActivityDigest implements Teller {
  private people: People | undefined;
  private readonly subject: ReturnType<Channel['digest']>;

  constructor(channel: Channel) {
    this.subject = channel.digest('activity', ACTIVITY);
  }

  get told(): People {
    return this.people ?? new Map();
  }

  async tell(now: People): Promise<void> {
    const before = this.people;
    this.people = now;
    for (const one of before ? changesBetween(before, now) : [beginning(now)]) await this.notice(one);
  }

  async lost(): Promise<void> {
    if (!this.people) return;
    this.people = undefined;
    await this.notice({ lost: true });
  }

  private async notice(data: Said): Promise<void> {
    await this.subject.notice({ data, fallback: fallbackFor(data), tags: ['chat:ambient'] });
  }
}
