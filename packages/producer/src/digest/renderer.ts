import type { ContentBlock, Notice } from '@mcpl-bridges/protocol';

/** Says what stands for the notices that are not there; only `Dropped` can make one. */
export class DroppedMention {
  /** Empty where nothing is missing. */
  private constructor(readonly text: string) {}

  /** @internal */
  static of(text: string): DroppedMention {
    return new DroppedMention(text);
  }
}

/** How many notices the host could not keep. A digest that has nothing else must say so (RFC-006 §5.2). */
export class Dropped {
  constructor(private readonly count: number) {}

  /** @param say the words for `count` missing notices, at least one; not called where none is missing */
  mention(say: (count: number) => string): DroppedMention {
    return DroppedMention.of(this.count === 0 ? '' : say(this.count));
  }
}

export interface Folded {
  readonly content: readonly ContentBlock[];
  /** Goes behind the content. Its type is what keeps it from being forgotten. */
  readonly dropped: DroppedMention;
}

/** A digest that knows only what its notices carried: a function of them, and nothing else. */
export interface NoticeOnly {
  readonly kind: 'notices';
  /** @param notices oldest first. Empty content and nothing dropped: nothing is shown. */
  fold(notices: readonly Notice[], dropped: Dropped): Folded;
}

/** A digest whose source can be asked: what has changed since `baseline`, and where the next one starts. */
export interface SourceBacked {
  readonly kind: 'source';
  /** @param baseline what the last description ended with; `undefined` before the first. JSON. */
  describe(baseline: unknown): Promise<{ readonly content: readonly ContentBlock[]; readonly baseline: unknown }>;
}

export type Renderer = NoticeOnly | SourceBacked;

/** What a fold comes to. */
export const foldedContent = ({ content, dropped }: Folded): readonly ContentBlock[] =>
  dropped.text === '' ? content : [...content, { type: 'text', text: dropped.text }];
