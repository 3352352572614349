import type { RecordWrite } from '@mcpl-bridges/producer';
import { z } from 'zod';
import type { Heritage } from '../heritage.js';

/** By lane. */
const saved = z.object({
  muted: z.array(z.string()),
  /** Where the agent hears of reactions, against what the operator has configured. */
  reactions: z.record(z.string(), z.boolean()),
  /** Heard though the host has not opened them. */
  subscribed: z.array(z.string()).default([]),
});
type SavedPreferences = z.infer<typeof saved>;

const KEY = 'preferences';

const NONE: SavedPreferences = { muted: [], reactions: {}, subscribed: [] };

/** Which channels the agent does not want to hear of, and where it wants to hear of reactions. Outlives restarts. */
export class Preferences {
  private present: SavedPreferences = NONE;

  constructor(
    private readonly recall: (key: string) => Promise<unknown>,
    private readonly remember: (records: readonly RecordWrite[]) => Promise<void>,
    private readonly laneOf: (channelId: string) => string,
  ) {}

  /** Takes up what an earlier process left, or else what another program did. */
  async restore({ muted, reactions }: Pick<Heritage, 'muted' | 'reactions'>): Promise<void> {
    const held = await this.recall(KEY);
    const inherited = {
      ...NONE,
      muted: [...muted],
      reactions: Object.fromEntries(reactions.map((lane) => [lane, true])),
    };
    this.present = held === undefined ? inherited : saved.parse(held);
  }

  isMuted(channelId: string): boolean {
    return this.present.muted.includes(this.laneOf(channelId));
  }

  /** @returns whether that changes anything */
  async setMuted(channelId: string, isMuted: boolean): Promise<boolean> {
    if (this.isMuted(channelId) === isMuted) return false;
    const lane = this.laneOf(channelId);
    const others = this.present.muted.filter((one) => one !== lane);
    await this.put({ ...this.present, muted: isMuted ? [...others, lane] : others });
    return true;
  }

  isSubscribed(channelId: string): boolean {
    return this.present.subscribed.includes(this.laneOf(channelId));
  }

  async setSubscribed(channelId: string, isSubscribed: boolean): Promise<void> {
    if (this.isSubscribed(channelId) === isSubscribed) return;
    const lane = this.laneOf(channelId);
    const others = this.present.subscribed.filter((one) => one !== lane);
    await this.put({ ...this.present, subscribed: isSubscribed ? [...others, lane] : others });
  }

  /** @param otherwise what holds where the agent has not said anything */
  hearsReactions(channelId: string, otherwise: boolean): boolean {
    return this.present.reactions[this.laneOf(channelId)] ?? otherwise;
  }

  async setReactions(channelId: string, visible: boolean): Promise<void> {
    const lane = this.laneOf(channelId);
    await this.put({ ...this.present, reactions: { ...this.present.reactions, [lane]: visible } });
  }

  private async put(preferences: SavedPreferences): Promise<void> {
    this.present = preferences;
    await this.remember([{ key: KEY, value: preferences }]);
  }
}
