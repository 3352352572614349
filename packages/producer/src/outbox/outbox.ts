import type { ContentBlock } from '@mcpl-bridges/protocol';
import type { Log } from '../log.js';
import { type Occurrence, queueOf } from '../occurrence/occurrence.js';
import type { RecordWrite, Store } from '../store/store.js';
import type { Time } from '../time.js';
import { ChannelQueue, type QueueContext } from './channel-queue.js';
import { Counters, type Counts } from './counters.js';
import { Departures } from './departures.js';
import { Flights } from './flights.js';
import type { GatherLimits } from './gatherer.js';
import { GroupCommit, type Health } from './group-commit.js';
import type { Settlement } from './queued.js';
import type { Sender } from './sender.js';
import { UnstoredRecords } from './unstored-records.js';

/** What became of a call that handed an occurrence over. */
export interface Submitted {
  readonly eventId: string;
  /** Resolves when the host has answered, or when it is certain that it never will be asked again. */
  readonly settled: Promise<Settlement>;
}

export interface OutboxLimits {
  /** Occurrences that may be under way at once, over all channels. Default 256. */
  readonly inFlight: number;
  /** Occurrences that may wait or be under way; whoever submits another waits for room. Default 100,000. */
  readonly capacity: number;
  /** For how long notices are gathered for a host that cannot ask for renders. Default 2 s of quiet, at most 10 s. */
  readonly gather: GatherLimits;
}

/** Share of the capacity at which it is told that the outbox fills up. */
const HIGH_WATER = 0.8;

export const DEFAULT_OUTBOX_LIMITS: OutboxLimits = {
  inFlight: 256,
  capacity: 100_000,
  gather: { quietMs: 2000, maxMs: 10_000 },
};

export interface OutboxOptions {
  readonly store: Store;
  readonly sender: Sender;
  readonly time: Time;
  readonly random: () => number;
  readonly log: Log;
  readonly limits: OutboxLimits;
  /** Four fifths of the capacity are used; told once until half of it is free again. */
  readonly onHighWater: (waiting: number) => void;
  readonly onHealth: (health: Health) => void;
}

/**
 * Every occurrence on its way to the host: stored before it is sent, in order per channel, channels independent. When it
 * is full, whoever submits waits; nothing is refused and nothing forgotten.
 */
export class Outbox {
  private readonly queues = new Map<string, ChannelQueue>();
  private readonly context: QueueContext;
  private readonly commits: GroupCommit;
  private readonly counters = new Counters();
  private readonly unstored = new UnstoredRecords();
  private restored: Promise<number> | undefined;
  /** `undefined` until it is known what an earlier process left behind. */
  private lastSeq: number | undefined;
  /** Submissions that wait for their turn, one behind the other. */
  private line: Promise<unknown> = Promise.resolve();
  private inLine = 0;
  private onRoom: (() => void) | undefined;
  private queued = 0;
  /** Submissions that are being stored and are in no queue: they came to nothing, or to a change of what is. */
  private arriving = 0;
  private toldHigh = false;

  constructor(private readonly options: OutboxOptions) {
    const { store, sender, time, random, log, limits, onHealth } = options;
    this.commits = new GroupCommit({
      store,
      time,
      random,
      log,
      onHealth,
      restate: () => [...this.queues.values()].flatMap((queue) => queue.restate()),
    });
    this.context = {
      commits: this.commits,
      sender,
      departures: new Departures(sender, limits.inFlight),
      // While as many are answered for, as many more are recorded.
      flights: new Flights(2 * limits.inFlight),
      counters: this.counters,
      gather: limits.gather,
      time,
      random,
      log,
      nextSeq: () => {
        this.lastSeq = (this.lastSeq ?? 0) + 1;
        return this.lastSeq;
      },
      onLength: (change) => {
        this.queued += change;
        this.makeRoom();
      },
    };
  }

  /** Takes up what an earlier process left behind, once. @returns how many occurrences that is */
  restore(): Promise<number> {
    this.restored ??= this.load().catch((error) => {
      this.restored = undefined;
      throw error;
    });
    return this.restored;
  }

  /**
   * Stores `occurrence` with the `records` that belong to it; resolves once both are stored. Calls are taken in the order
   * in which they are made; those for which there is no room wait in line.
   */
  submit(occurrence: Occurrence, records: readonly RecordWrite[] = []): Promise<Submitted> {
    this.unstored.add(records);
    if (this.inLine === 0 && this.lastSeq !== undefined && this.hasRoom()) return this.take(occurrence, records);
    this.inLine += 1;
    const turn = this.line.then(async () => {
      try {
        await this.restore();
        while (!this.hasRoom()) await new Promise<void>((resolve) => (this.onRoom = resolve));
      } catch (error) {
        this.unstored.drop(records);
        throw error;
      } finally {
        this.inLine -= 1;
      }
      return { submitted: this.take(occurrence, records) };
    });
    this.line = turn.catch(() => {});
    return turn.then(({ submitted }) => submitted);
  }

  /**
   * Puts `content` into the last occurrence of a message in `queue`, if that was not sent yet.
   * @returns whether it was not; resolves once that is stored
   */
  enrich(subject: string, queue: string, content: readonly ContentBlock[]): Promise<boolean> {
    return new Promise((resolve) => {
      const isUnsent = this.queues.get(queue)?.enrich(subject, content, () => resolve(true)) ?? false;
      if (!isUnsent) resolve(false);
    });
  }

  /** Keeps `records`. Resolves once they are stored. */
  keep(records: readonly RecordWrite[]): Promise<void> {
    if (records.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.unstored.add(records);
      for (const record of records) this.commits.add({ kind: 'record', ...record });
      this.commits.whenKept(() => {
        this.unstored.drop(records);
        resolve();
      });
    });
  }

  /** A record as it was handed over last, whether it is stored yet or not. */
  async recall(key: string): Promise<unknown> {
    const unstored = this.unstored.get(key);
    return unstored ? unstored.value : this.options.store.read(key);
  }

  /** Resolves when nothing waits to be stored. */
  settled(): Promise<void> {
    return this.commits.settled();
  }

  /** Stores what was handed over so far, if the store is there, and nothing after it. */
  close(): Promise<void> {
    return this.commits.close();
  }

  /** A session, policy or registration has changed: every queue looks again. */
  wake(): void {
    for (const queue of this.queues.values()) queue.wake();
  }

  /** How many occurrences wait or are under way. */
  get length(): number {
    return this.queued;
  }

  get counts(): Counts {
    return this.counters.read();
  }

  private take(occurrence: Occurrence, records: readonly RecordWrite[]): Promise<Submitted> {
    let settle: (settlement: Settlement) => void = () => {};
    const settled = new Promise<Settlement>((resolve) => {
      settle = resolve;
    });
    const submitted = { eventId: occurrence.eventId, settled };
    return new Promise((resolve) => {
      const before = this.queued;
      let counts = true;
      this.arriving += 1;
      const arrived = (): void => {
        if (!counts) return;
        counts = false;
        this.arriving -= 1;
        this.makeRoom();
      };
      const stored = (): void => {
        this.unstored.drop(records);
        arrived();
        resolve(submitted);
      };
      this.queue(queueOf(occurrence)).add(occurrence, records, stored, settle);
      if (this.queued > before) arrived();
      this.watchLevel();
    });
  }

  private async load(): Promise<number> {
    const { entries, lastSeq } = await this.options.store.load();
    for (const entry of entries) this.queue(queueOf(entry.occurrence)).restore(entry);
    this.lastSeq = lastSeq;
    return entries.length;
  }

  private hasRoom(): boolean {
    return this.used < this.options.limits.capacity;
  }

  private get used(): number {
    return this.queued + this.arriving;
  }

  private makeRoom(): void {
    if (this.onRoom && this.hasRoom()) {
      this.onRoom();
      this.onRoom = undefined;
    }
    if (this.toldHigh && this.used <= this.options.limits.capacity / 2) this.toldHigh = false;
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
