import { contextOf, type HostState } from './state.js';
import type { Subject } from './subject.js';

/**
 * What an occurrence displaces or finds consumed, gathered context by context. It is reported only where every context
 * says the same (RFC-006 §3.3 "Per context").
 */
export class Prior {
  private readonly eventIds = new Set<string>();

  add(eventId: string | undefined): void {
    if (eventId !== undefined) this.eventIds.add(eventId);
  }

  get result(): { priorEventId?: string } {
    const [only, ...others] = this.eventIds;
    return only === undefined || others.length > 0 ? {} : { priorEventId: only };
  }
}

/** The subject's last occurrence in `contextId`: unread and in the way, or else read. */
export const lastIn = (state: HostState, subject: Subject, contextId: string): string | undefined => {
  const slot = subject.occupants.get(contextId);
  const unread = slot === undefined ? undefined : contextOf(state, contextId).unread.get(slot)?.eventId;
  return unread ?? subject.read.get(contextId);
};
