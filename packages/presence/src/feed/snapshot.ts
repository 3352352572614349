import { SubjectRefs } from '../refs.js';
import type { View } from '../tracker/tracker.js';

/** The payload of `channel.presence` (RFC 0110): all of it, each time. */
export interface PresencePayload {
  readonly conversationId: string;
  readonly present: readonly string[];
  readonly typing: readonly string[];
}

export interface Naming {
  readonly refs: SubjectRefs;
  readonly scope: string;
  readonly selfId: string | undefined;
}

/** Refs in an order of their own: it says nothing of who came when. */
export const payloadOf = (channelId: string, view: View, { refs, scope, selfId }: Naming): PresencePayload => {
  const refOf = (userId: string): string => (userId === selfId ? SubjectRefs.agent(userId) : refs.of(scope, userId));
  return {
    conversationId: channelId,
    present: view.present.map(refOf).sort(),
    typing: view.typing.map(refOf).sort(),
  };
};
