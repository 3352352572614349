import type { AttemptClock, BurialReason } from '../store/store.js';

/** Taken off the host's window, because clocks and networks are never exact; never added. ms. */
const DEADLINE_MARGIN_MS = 30_000;

/** May an occurrence be sent (again)? `undefined` means yes (RFC-006 §3.1). */
export const pastDeadline = (
  clock: AttemptClock,
  marginMs = DEADLINE_MARGIN_MS,
): Extract<BurialReason, 'expired' | 'unbounded'> | undefined => {
  if (clock.elapsedMs === 'unknown' || clock.elapsedMs < 0) return 'unbounded';
  return clock.elapsedMs > clock.windowMs - marginMs ? 'expired' : undefined;
};
