import { type AdmittedOccurrence, subjectId } from './occurrence.js';
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

export const subjectIdOf = ({ binding, treatment }: AdmittedOccurrence): string | undefined =>
  treatment.kind === 'ordinary' ? undefined : subjectId(binding, treatment.scope, treatment.key);

/** What the occurrence's subject holds, rendered or not. */
export const heldBy = (state: HostState, occurrence: AdmittedOccurrence): Held => {
  const id = subjectIdOf(occurrence);
  const subject = id === undefined ? undefined : state.subjects.get(id);
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
