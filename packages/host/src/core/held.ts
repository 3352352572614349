import { contextOf, type HostState } from './state.js';

/** What a subject has unread: where, and by which occurrences. */
export interface Held {
  readonly contexts: ReadonlySet<string>;
  /** Oldest first; the notices of a batch one by one. */
  readonly eventIds: ReadonlySet<string>;
  /** The first notice of the batch that more may join. */
  readonly opened: string | undefined;
}

const NOTHING: Held = { contexts: new Set(), eventIds: new Set(), opened: undefined };

/** What a subject holds, rendered or not. */
export const heldBy = (state: HostState, subjectId: string | undefined): Held => {
  const subject = subjectId === undefined ? undefined : state.subjects.get(subjectId);
  if (!subject) return NOTHING;
  const { occupants, pending, frozen } = subject;
  const entries = [...occupants].flatMap(
    ([context, slot]) => contextOf(state, context).unread.get(slot)?.eventId ?? [],
  );
  const notices = [...(frozen?.notices ?? []), ...(pending?.notices ?? [])].map(({ eventId }) => eventId);
  return {
    contexts: new Set([...occupants.keys(), ...(pending?.contexts ?? []), ...(frozen?.contexts ?? [])]),
    eventIds: new Set([...entries, ...notices]),
    opened: pending?.notices[0]?.eventId,
  };
};
