import type { AttemptClock, BurialReason } from '../store/store.js';

/** Taken off the host's window, because clocks and networks are never exact; never added. ms. */
const DEADLINE_MARGIN_MS = 30_000;

/**
 * May an occurrence be sent (again)? `undefined` means yes (RFC-006 §3.1).
 * @param sinceMs how long ago the store was asked, at most, ms
 */
export const pastDeadline = (
  clock: AttemptClock,
  sinceMs = 0,
): Extract<BurialReason, 'expired' | 'unbounded'> | undefined => {
  if (clock.elapsedMs === 'unknown' || clock.elapsedMs < 0) return 'unbounded';
  return clock.elapsedMs + sinceMs > clock.windowMs - DEADLINE_MARGIN_MS ? 'expired' : undefined;
};

/** The clock of an attempt of which it is known that no less than `elapsedMs` has passed. */
export const atLeast = (clock: AttemptClock, elapsedMs: number): AttemptClock =>
  clock.elapsedMs === 'unknown' || clock.elapsedMs < 0
    ? clock
    : { ...clock, elapsedMs: Math.max(clock.elapsedMs, elapsedMs) };
