import type { BurialReason, StoredEntry, StoreStep } from '../store/store.js';

/** How an occurrence ended. Says nothing of the host's outcome: no producer may act on that (RFC-006 §2). */
export type Settlement =
  | { readonly kind: 'delivered' }
  /** Taken up by a later occurrence of the same subject before anything was sent. */
  | { readonly kind: 'folded' }
  | { readonly kind: 'buried'; readonly reason: BurialReason };

/**
 * Where an occurrence stands: it waits for what its subject sent before it; it is ready; it is under way, from the
 * moment its attempt is to be recorded until its answer is judged. What comes to nothing is ready again.
 */
export interface Queued {
  readonly subject: string;
  entry: StoredEntry;
  /** Everyone who handed it over. */
  readonly settled: ((settlement: Settlement) => void)[];
  underWay: boolean;
  /** When the first attempt was made, as far as this process knows; monotonic, ms. */
  attemptedAt: number | undefined;
  /** The shortest window that was advertised during the attempts, ms. */
  windowMs: number | undefined;
  /** An earlier process may have sent it, and nobody knows what became of that. */
  readonly restored: boolean;
  registeredAgain: boolean;
  /** A request that carried others, too, was refused as a whole. */
  goesAlone: boolean;
  refusedUnderPolicy: number | undefined;
  answeredLate: Readonly<Record<string, unknown>> | undefined;
}

export const queuedOf = (
  subject: string,
  entry: StoredEntry,
  settled: Queued['settled'],
  restored: boolean,
): Queued => ({
  subject,
  entry,
  settled,
  underWay: false,
  attemptedAt: undefined,
  windowMs: undefined,
  restored,
  registeredAgain: false,
  goesAlone: false,
  refusedUnderPolicy: undefined,
  answeredLate: undefined,
});

export const tell = ({ settled }: Queued, settlement: Settlement): void => {
  for (const one of settled) one(settlement);
};

/** What a store that has lost it is told of an occurrence; `now` is monotonic, ms. */
export const restated = ({ entry, attemptedAt, windowMs, restored }: Queued, now: number): StoreStep[] => {
  const { seq, occurrence, wire } = entry;
  const append: StoreStep = { kind: 'append', seq, occurrence };
  // A first attempt that nobody has recorded yet was not made: the step that records it is still to come.
  if (!wire || (!restored && windowMs === undefined)) return [append];
  // How long ago an earlier process began, only the store knew.
  const known = attemptedAt !== undefined && windowMs !== undefined;
  const clock = known ? { sinceMs: now - attemptedAt, windowMs } : { sinceMs: Number.MAX_SAFE_INTEGER, windowMs: 0 };
  return [append, { kind: 'attempt', seq, wire, ...clock }];
};
