import type { HostState } from './state.js';
import { birth, type Subject } from './subject.js';
import { TouchOrder } from './touch-order.js';

/** How many of the oldest subjects are looked at for one to let go. */
const LOOK_AT = 64;

const isIdle = (subject: Subject): boolean => subject.occupants.size === 0 && !subject.pending && !subject.frozen;

/** The subjects of one binding, oldest first. */
export const trackedOf = (state: HostState, binding: string): TouchOrder => {
  const known = state.tracked.get(binding);
  if (known) return known;
  const order = new TouchOrder();
  state.tracked.set(binding, order);
  return order;
};

/**
 * The subject an occurrence speaks of; `undefined` when its binding tracks as many as it may and every one of the oldest
 * still holds something unread (RFC-006 §11). A subject that is let go is unknown afterwards.
 */
export const track = (state: HostState, binding: string, id: string, initial: boolean): Subject | undefined => {
  const order = trackedOf(state, binding);
  const known = state.subjects.get(id);
  if (known) {
    order.touch(known);
    known.touchedAt = state.applied + 1;
    state.subjects.touch(id);
    return known;
  }
  if (order.size >= state.settings.maxSubjects) {
    const idle = order.findOldest(isIdle, LOOK_AT);
    if (!idle) return undefined;
    order.remove(idle);
    state.subjects.delete(idle.id);
  }
  const born = birth(state.nextSubject++, id, binding, initial);
  born.touchedAt = state.applied + 1;
  state.subjects.set(id, born);
  order.add(born);
  return born;
};
