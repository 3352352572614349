/** When a message says where it was said: where the place differs from that of the one before, always, or never. */
export const SOURCE_HEADERS = ['changes', 'always', 'never'] as const;
export type SourceHeaderPolicy = (typeof SOURCE_HEADERS)[number];

/** Knows where the talk was last, in either direction. */
export class SourceHeader {
  private last: string | undefined;

  constructor(private readonly policy: SourceHeaderPolicy) {}

  /** The talk goes on in a channel. @returns whether its next message must say where it is */
  takes(channelId: string): boolean {
    const isElsewhere = this.last !== channelId;
    this.last = channelId;
    return this.policy === 'always' || (this.policy === 'changes' && isElsewhere);
  }

  /** A message that said where it was is gone: the next one has to say it again. */
  forget(): void {
    this.last = undefined;
  }
}
