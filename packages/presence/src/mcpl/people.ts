import type { PresenceFeed } from '../feed/feed.js';
import type { SubjectRefs } from '../refs.js';
import type { Status } from '../tracker/signal.js';

/** Somebody as the agent is told of them. */
export interface Person {
  readonly name: string;
  /** `undefined` where the platform tells no more than that they are here. */
  readonly status: Exclude<Status, 'offline'> | undefined;
  readonly isTyping: boolean;
}

/** By subject ref. */
export type People = ReadonlyMap<string, Person>;

export interface PeopleSource {
  readonly feed: PresenceFeed;
  readonly refs: SubjectRefs;
  /** A name as it may stand among what the bridge says itself. */
  readonly shown: (name: string) => string;
}

const UNNAMED = 'Somebody';

/**
 * Who is in a channel beside the agent. Who has just gone offline stays as they were until they are gone.
 * @returns nothing where that is not known
 */
export const peopleIn = (
  { feed, refs, shown }: PeopleSource,
  channelId: string,
  before: People,
): People | undefined => {
  const { roster, tracker } = feed;
  const scope = roster.scopeOf(channelId);
  if (scope === undefined || !roster.isKnown(channelId) || tracker.sightOf(scope) !== 'seen') return undefined;
  const { present, typing } = feed.told(channelId);
  const typers = new Set(typing);
  return new Map(
    present
      .filter((userId) => userId !== roster.selfId)
      .map((userId): [string, Person] => {
        const ref = refs.of(scope, userId);
        const status = tracker.statusOf(scope, userId);
        const name = roster.nameOf(channelId, userId);
        return [
          ref,
          {
            name: name === undefined ? (before.get(ref)?.name ?? UNNAMED) : shown(name),
            status: status === 'offline' ? before.get(ref)?.status : status,
            isTyping: typers.has(userId),
          },
        ];
      }),
  );
};
