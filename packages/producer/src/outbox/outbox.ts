import type { Occurrence } from '../occurrence/occurrence.js';
import type { RecordWrite } from '../store/store.js';
import { ChannelQueue, type QueueContext, type Settlement } from './channel-queue.js';

/** What became of a call that handed an occurrence over. */
export interface Submitted {
  readonly eventId: string;
  /** Resolves when the host has answered, or when it is certain that it never will be asked again. */
  readonly settled: Promise<Settlement>;
}

/** Every occurrence on its way to the host: stored before it is sent, ordered per channel, channels independent. */
export class Outbox {
  private readonly queues = new Map<string, ChannelQueue>();

  constructor(private readonly context: QueueContext) {}

  /** Takes up what an earlier process left behind. Call once, before anything is submitted. */
  async restore(): Promise<number> {
    const entries = await this.context.store.load();
    for (const entry of entries) this.queue(entry.occurrence.channelId).restore(entry);
    return entries.length;
  }

  /**
   * Stores `occurrence` with the `records` that belong to it; resolves once both are stored.
   * Calls for one channel must be awaited in order.
   */
  async submit(occurrence: Occurrence, records: readonly RecordWrite[] = []): Promise<Submitted> {
    let settle: (settlement: Settlement) => void = () => {};
    const settled = new Promise<Settlement>((resolve) => {
      settle = resolve;
    });
    await this.queue(occurrence.channelId).add(occurrence, records, settle);
    return { eventId: occurrence.eventId, settled };
  }

  /** A session, policy or registration has changed: every queue looks again. */
  wake(): void {
    for (const queue of this.queues.values()) queue.wake();
  }

  /** How many occurrences wait or are under way. */
  get length(): number {
    let sum = 0;
    for (const queue of this.queues.values()) sum += queue.length;
    return sum;
  }

  private queue(channelId: string): ChannelQueue {
    const existing = this.queues.get(channelId);
    if (existing) return existing;
    const created = new ChannelQueue(this.context);
    this.queues.set(channelId, created);
    return created;
  }
}
