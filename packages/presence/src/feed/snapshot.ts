import { SubjectRefs } from '../refs.js';
import type { View } from '../tracker/tracker.js';

/** What it is called on every wire. */
export const PRESENCE_EVENT = 'channel.presence';

/** The payload of `channel.presence` (RFC 0110): all of it, each time. */
export interface PresencePayload {
  readonly conversationId: string;
  readonly present: readonly string[];
  readonly typing: readonly string[];
}

export interface Naming {
  readonly refs: SubjectRefs;
  readonly scope: string;
  /** Whether somebody is an agent, and not one of the people. */
  readonly isAgent: (userId: string) => boolean;
}

/** Refs in an order of their own: it says nothing of who came when. */
export const payloadOf = (channelId: string, view: View, { refs, scope, isAgent }: Naming): PresencePayload => {
  const refOf = (userId: string): string => (isAgent(userId) ? SubjectRefs.agent(userId) : refs.of(scope, userId));
  return {
    conversationId: channelId,
    present: view.present.map(refOf).sort(),
    typing: view.typing.map(refOf).sort(),
  };
};
