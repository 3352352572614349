import type { HostState } from './state.js';
import { birth, type Subject } from './subject.js';

/** How many of the oldest subjects are looked at for one to let go. */
const LOOK_AT = 64;

const isIdle = (subject: Subject): boolean => subject.occupants.size === 0 && !subject.pending && !subject.frozen;

/**
 * The subject an occurrence speaks of, most recently touched last; `undefined` when its binding tracks as many as it may
 * and every one of the oldest still holds something unread (RFC-006 §11). A subject that is let go is unknown afterwards.
 */
export const track = (state: HostState, binding: string, id: string, initial: boolean): Subject | undefined => {
  const known = state.subjects.get(id);
  if (known) {
    state.subjects.delete(id);
    state.subjects.set(id, known);
    return known;
  }
  if ((state.tracked.get(binding) ?? 0) >= state.settings.maxSubjects && !letOneGo(state, binding)) return undefined;
  const born = birth(binding, initial);
  state.subjects.set(id, born);
  state.tracked.set(binding, (state.tracked.get(binding) ?? 0) + 1);
  return born;
};

const letOneGo = (state: HostState, binding: string): boolean => {
  let looked = 0;
  for (const [id, subject] of state.subjects) {
    if (looked++ >= LOOK_AT) return false;
    if (subject.binding !== binding || !isIdle(subject)) continue;
    state.subjects.delete(id);
    state.tracked.set(binding, (state.tracked.get(binding) ?? 1) - 1);
    return true;
  }
  return false;
};
