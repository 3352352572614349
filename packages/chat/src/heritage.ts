/** What another program has remembered of a platform, for a store that is new. By lane: the platform's own channel ids. */
export interface Heritage {
  readonly muted: readonly string[];
  /** Where the agent hears of reactions. */
  readonly reactions: readonly string[];
  /** Channels that the agent heard everything of. */
  readonly open: readonly string[];
  /** The newest message that was delivered of each channel. */
  readonly newest: Readonly<Record<string, string>>;
  readonly privateLanes: readonly string[];
}

export const NO_HERITAGE: Heritage = { muted: [], reactions: [], open: [], newest: {}, privateLanes: [] };
