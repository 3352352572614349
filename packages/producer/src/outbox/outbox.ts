import type { Log } from '../log.js';
import { type Occurrence, queueOf } from '../occurrence/occurrence.js';
import type { RecordWrite, Store } from '../store/store.js';
import type { Time } from '../time.js';
import { ChannelQueue, type QueueContext, type Sender, type Settlement } from './channel-queue.js';
import { Flights } from './flights.js';

/** What became of a call that handed an occurrence over. */
export interface Submitted {
  readonly eventId: string;
  /** Resolves when the host has answered, or when it is certain that it never will be asked again. */
  readonly settled: Promise<Settlement>;
}

export interface OutboxLimits {
  /** Requests that may be under way at once, over all channels. Default 256. */
  readonly inFlight: number;
  /** Occurrences that may wait or be under way; whoever submits another waits for room. Default 100,000. */
  readonly capacity: number;
}

/** Share of the capacity at which it is told that the outbox fills up. */
const HIGH_WATER = 0.8;

export const DEFAULT_OUTBOX_LIMITS: OutboxLimits = { inFlight: 256, capacity: 100_000 };

export interface OutboxOptions {
  readonly store: Store;
  readonly sender: Sender;
  readonly time: Time;
  readonly random: () => number;
  readonly log: Log;
  readonly limits: OutboxLimits;
  /** Four fifths of the capacity are used; told once until half of it is free again. */
  readonly onHighWater: (waiting: number) => void;
}

/**
 * Every occurrence on its way to the host: stored before it is sent, in order per channel, channels independent. When it
 * is full, whoever submits waits; nothing is refused and nothing forgotten.
 */
export class Outbox {
  private readonly queues = new Map<string, ChannelQueue>();
  private readonly context: QueueContext;
  private readonly forRoom: (() => void)[] = [];
  private queued = 0;
  /** Submissions that are being stored. */
  private arriving = 0;
  private toldHigh = false;

  constructor(private readonly options: OutboxOptions) {
    const { store, sender, time, random, log, limits } = options;
    const flights = new Flights(limits.inFlight);
    const onLength = (change: 1 | -1): void => {
      this.queued += change;
      this.makeRoom();
    };
    this.context = { store, sender, flights, time, random, log, onLength };
  }

  /** Takes up what an earlier process left behind. Call once, before anything is submitted. */
  async restore(): Promise<number> {
    const entries = await this.options.store.load();
    for (const entry of entries) this.queue(queueOf(entry.occurrence)).restore(entry);
    return entries.length;
  }

  /**
   * Stores `occurrence` with the `records` that belong to it; resolves once both are stored.
   * Calls for one channel must be awaited in order.
   */
  async submit(occurrence: Occurrence, records: readonly RecordWrite[] = []): Promise<Submitted> {
    while (this.used >= this.options.limits.capacity) await new Promise<void>((resolve) => this.forRoom.push(resolve));
    this.arriving += 1;
    this.watchLevel();
    let settle: (settlement: Settlement) => void = () => {};
    const settled = new Promise<Settlement>((resolve) => {
      settle = resolve;
    });
    try {
      await this.queue(queueOf(occurrence)).add(occurrence, records, settle);
    } finally {
      this.arriving -= 1;
      this.makeRoom();
    }
    return { eventId: occurrence.eventId, settled };
  }

  /** A session, policy or registration has changed: every queue looks again. */
  wake(): void {
    for (const queue of this.queues.values()) queue.wake();
  }

  /** How many occurrences wait or are under way. */
  get length(): number {
    return this.queued;
  }

  private get used(): number {
    return this.queued + this.arriving;
  }

  private makeRoom(): void {
    const { capacity } = this.options.limits;
    if (this.used < capacity) this.forRoom.shift()?.();
    if (this.used <= capacity / 2) this.toldHigh = false;
  }

  private watchLevel(): void {
    if (this.toldHigh || this.used < this.options.limits.capacity * HIGH_WATER) return;
    this.toldHigh = true;
    this.options.onHighWater(this.used);
  }

  private queue(name: string): ChannelQueue {
    const existing = this.queues.get(name);
    if (existing) return existing;
    const created = new ChannelQueue(this.context);
    this.queues.set(name, created);
    return created;
  }
}
