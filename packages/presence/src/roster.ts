/** Who belongs where, as the platform has it now. Asked each time: answers are not to be remembered. */
export interface Roster {
  /** The agent's own account; `undefined` before it is known. */
  readonly selfId: string | undefined;
  /** Where the statuses are kept that count in a channel; `undefined` for a channel that is not there. */
  scopeOf(channelId: string): string | undefined;
  /** Whether it is known now who may see a channel. */
  isKnown(channelId: string): boolean;
  /** Whether somebody may see a channel. What is not known is denied. */
  isMember(channelId: string, userId: string): boolean;
  /** As others call them there; `undefined` where nobody knows. */
  nameOf(channelId: string, userId: string): string | undefined;
  /** The channels of a scope, or all. */
  channels(scope?: string): Iterable<string>;
}
