import type { RecordWrite } from '@mcpl-bridges/producer';
import { isNewer } from './message-order.js';

/** How many of a channel's announced messages are known by name, so that their deletion can be noticed later. */
const REMEMBERED_MESSAGES = 200;

/** How long after it was announced a message's deletion is still looked for, ms. */
const SLOT_KEPT_MS = 30 * 86_400_000;

/** What was said in a channel while the agent did not listen to it. */
export interface Missed {
  readonly messages: number;
  readonly characters: number;
  /** The last message before it; `''` where there was none. */
  readonly after: string;
}

/** What is remembered of a channel. */
export interface ChannelRecord {
  /** Whatever came after this message is known, or was missed; `''` for a channel that was empty. */
  readonly first: string;
  /** The newest message that was taken in. */
  readonly newest: string;
  /** How many messages were announced so far. */
  readonly announced: number;
  readonly missed?: Missed;
}

/** What became of a new message: the agent was told, or has missed so many characters, or neither. */
export type Noticed =
  | { readonly kind: 'announced' }
  | { readonly kind: 'missed'; readonly characters: number }
  | { readonly kind: 'passed' };

const channelKey = (place: string): string => `channel:${place}`;
const slotKey = (place: string, n: number): string => `announced:${place}:${n % REMEMBERED_MESSAGES}`;

/**
 * What is needed to find out what happened while nobody was looking: from where on a place (`locusKey`) is known, and which
 * messages were announced last. Everything is written with the occurrence that it belongs to.
 */
export class ChannelMemory {
  private readonly records = new Map<string, ChannelRecord>();

  /** @param inheritedNewest the newest message that another program took in, where nothing is remembered */
  constructor(
    private readonly recall: (key: string) => Promise<unknown>,
    private readonly inheritedNewest: (place: string) => string | undefined = () => undefined,
  ) {}

  async record(place: string): Promise<ChannelRecord | undefined> {
    const read = this.records.has(place) ? undefined : await this.recall(channelKey(place));
    // Somebody else may have written while it was read.
    const held = this.records.get(place) ?? (read as ChannelRecord | undefined) ?? this.inherited(place);
    if (held) this.records.set(place, held);
    return held;
  }

  /** Begins to watch a channel behind its `newest` message; one that is watched already stays as it is. */
  async begin(place: string, newest: string): Promise<RecordWrite[]> {
    if (await this.record(place)) return [];
    return [this.put(place, { first: newest, newest, announced: 0 })];
  }

  /** What came until `newest` is past, whatever was known of the place before. */
  async beginAnew(place: string, newest: string): Promise<RecordWrite[]> {
    const { announced = 0 } = (await this.record(place)) ?? {};
    return [this.put(place, { first: newest, newest, announced })];
  }

  /** A message was taken in. */
  async noticed(place: string, messageId: string, what: Noticed): Promise<RecordWrite[]> {
    const held = (await this.record(place)) ?? { first: messageId, newest: '', announced: 0 };
    const newest = isNewer(messageId, held.newest) ? messageId : held.newest;
    switch (what.kind) {
      case 'announced': {
        const slot = { key: slotKey(place, held.announced), value: messageId, keepMs: SLOT_KEPT_MS };
        return [this.put(place, { ...held, newest, announced: held.announced + 1 }), slot];
      }
      case 'missed': {
        const { messages, characters, after } = held.missed ?? { messages: 0, characters: 0, after: held.newest };
        const missed = { messages: messages + 1, characters: characters + what.characters, after };
        return [this.put(place, { ...held, newest, missed })];
      }
      case 'passed':
        return newest === held.newest ? [] : [this.put(place, { ...held, newest })];
    }
  }

  /** The agent listens to the channel again. */
  async listens(place: string): Promise<RecordWrite[]> {
    const held = await this.record(place);
    if (!held?.missed) return [];
    const { missed: _heard, ...rest } = held;
    return [this.put(place, rest)];
  }

  /** Whether a message is from before anything was remembered of its channel. */
  async predates(place: string, messageId: string): Promise<boolean> {
    const held = await this.record(place);
    return held === undefined || !isNewer(messageId, held.first);
  }

  /** The messages that were announced last, in no order. */
  async announced(place: string): Promise<string[]> {
    const held = await this.record(place);
    const count = Math.min(held?.announced ?? 0, REMEMBERED_MESSAGES);
    const ids = await Promise.all(Array.from({ length: count }, (_, n) => this.recall(slotKey(place, n))));
    return ids.filter((id): id is string => typeof id === 'string');
  }

  /** The newest message that was taken in of any of these channels; `''` where none was. */
  async newestOf(places: readonly string[]): Promise<string> {
    const records = await Promise.all(places.map((id) => this.record(id)));
    return records.reduce((newest, held) => (held && isNewer(held.newest, newest) ? held.newest : newest), '');
  }

  private inherited(place: string): ChannelRecord | undefined {
    const newest = this.inheritedNewest(place);
    return newest === undefined ? undefined : { first: newest, newest, announced: 0 };
  }

  private put(place: string, record: ChannelRecord): RecordWrite {
    this.records.set(place, record);
    return { key: channelKey(place), value: record };
  }
}
