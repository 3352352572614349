import { globPattern } from '../glob.js';

/** When an occurrence that was admitted starts an inference. */
export type WakeBehavior =
  | { readonly kind: 'immediate' }
  /** After `ms` without more, and never later than `maxMs` after the first. */
  | { readonly kind: 'debounce'; readonly ms: number; readonly maxMs: number }
  /** At once, but not within `perMs` of the last inference. */
  | { readonly kind: 'throttle'; readonly perMs: number }
  /** Never by itself; it is read when something else starts one. */
  | { readonly kind: 'skip' };

export interface WakeMatch {
  /** Globs over the closed tags; `*` stands for any run of characters. */
  readonly tagsAny?: readonly string[] | undefined;
  readonly tagsAll?: readonly string[] | undefined;
  readonly tagsNone?: readonly string[] | undefined;
  /** Server id globs. */
  readonly source?: readonly string[] | undefined;
  /** Channel id globs. */
  readonly channel?: readonly string[] | undefined;
}

export interface WakeRule {
  readonly match: WakeMatch;
  readonly behavior: WakeBehavior;
}

export interface WakePolicy {
  /** The first rule that matches decides (SPEC §16.7). */
  readonly rules: readonly WakeRule[];
  readonly otherwise: WakeBehavior;
}

/** Quiet for half a second, and never more than five behind. */
export const DEFAULT_WAKE_POLICY: WakePolicy = { rules: [], otherwise: { kind: 'debounce', ms: 500, maxMs: 5000 } };

export interface WakeSubject {
  readonly tags: readonly string[];
  readonly source: string;
  readonly channelId: string | undefined;
}

const patterns = new Map<string, RegExp>();
const matches = (glob: string, text: string): boolean => {
  const pattern = patterns.get(glob) ?? globPattern(glob);
  patterns.set(glob, pattern);
  return pattern.test(text);
};

const anyMatches = (wanted: readonly string[], texts: readonly string[]): boolean =>
  wanted.some((glob) => texts.some((text) => matches(glob, text)));

const fits = (match: WakeMatch, { tags, source, channelId }: WakeSubject): boolean =>
  (!match.tagsAny || anyMatches(match.tagsAny, tags)) &&
  (!match.tagsAll || match.tagsAll.every((glob) => anyMatches([glob], tags))) &&
  (!match.tagsNone || !anyMatches(match.tagsNone, tags)) &&
  (!match.source || anyMatches(match.source, [source])) &&
  (!match.channel || (channelId !== undefined && anyMatches(match.channel, [channelId])));

/** What the policy says of an occurrence, and which of its rules said so (−1 for none of them). */
export const chooseBehavior = (policy: WakePolicy, subject: WakeSubject): { behavior: WakeBehavior; rule: number } => {
  const rule = policy.rules.findIndex(({ match }) => fits(match, subject));
  return { behavior: policy.rules[rule]?.behavior ?? policy.otherwise, rule };
};
