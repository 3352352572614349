import type { Producer } from '@mcpl-bridges/producer';
import type { Hearing } from '../bridge-options.js';
import type { Circumstances } from '../ledger.js';
import { type Locus, locusKey } from '../locus.js';
import type { ChatMessage } from '../message.js';
import type { ChatPlatform } from '../platform.js';
import type { ChannelMemory, Missed } from '../reconcile/channel-memory.js';
import type { Openness } from './openness.js';
import type { Preferences } from './preferences.js';

export interface ListeningOptions {
  readonly platform: Pick<ChatPlatform, 'history' | 'missed'>;
  readonly producer: () => Pick<Producer, 'remember'>;
  readonly memory: ChannelMemory;
  readonly openness: Openness;
  readonly preferences: Preferences;
  readonly closedDelivery: Circumstances['closedDelivery'];
  readonly hearing: Hearing | undefined;
  readonly threadsOf: (channelId: string) => readonly Locus[];
}

/** What is listened to: channels that hosts open, those that the agent wants to hear all the same, and what it was told of. */
export class Listening {
  constructor(private readonly options: ListeningOptions) {}

  /** What is delivered of a channel that the host has not opened. */
  closedDelivery(channelId: string): Circumstances['closedDelivery'] {
    const { preferences, closedDelivery } = this.options;
    return preferences.isSubscribed(channelId) ? 'all' : closedDelivery;
  }

  /** Whether the agent has reason to hear all that happens in a channel: it hears it, or it was told something of it. */
  async isFollowed(channelId: string): Promise<boolean> {
    const { openness, memory, threadsOf } = this.options;
    if (this.closedDelivery(channelId) === 'all' || (await openness.isOpen(channelId))) return true;
    const places = [channelId, ...threadsOf(channelId).map(locusKey)];
    const records = await Promise.all(places.map((place) => memory.record(place)));
    return records.some((record) => (record?.announced ?? 0) > 0);
  }

  /**
   * All that is said in a channel is heard from now on; where the platform told nothing of it so far, what was said there is
   * past. Must run in the channel's turn.
   */
  async begin(channelId: string): Promise<void> {
    const { hearing, platform, memory, openness, producer } = this.options;
    if (!hearing || this.closedDelivery(channelId) === 'all' || (await openness.isOpen(channelId))) return;
    await hearing.begin(channelId);
    const [newest] = await platform.history({ channelId }, { limit: 1 });
    await producer().remember(await memory.beginAnew(channelId, newest?.messageId ?? ''));
  }

  /** A host has closed a channel: whatever the agent wanted, it ends. */
  async closed(channelId: string): Promise<void> {
    const { openness, producer } = this.options;
    await producer().remember([openness.record(channelId, false)]);
    await this.unsubscribe(channelId);
  }

  /** Must run in the channel's turn. */
  async subscribe(channelId: string): Promise<void> {
    await this.begin(channelId);
    await this.options.preferences.setSubscribed(channelId, true);
  }

  async unsubscribe(channelId: string): Promise<void> {
    const { preferences, hearing } = this.options;
    await preferences.setSubscribed(channelId, false);
    if (hearing && !(await this.isFollowed(channelId))) hearing.end(channelId);
  }

  /** What was said somewhere while it was not listened to: all of it, or what came before one message. */
  async missed(locus: Locus, before?: ChatMessage): Promise<Missed | undefined> {
    const { platform, memory } = this.options;
    const place = locusKey(locus);
    return platform.missed
      ? platform.missed(locus.channelId, await memory.announced(place), before)
      : (await memory.record(place))?.missed;
  }
}
