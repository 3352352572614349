import { type Context, createContext } from './context.js';
import { Receipts } from './receipts.js';
import type { Subject } from './subject.js';
import type { TouchOrder } from './touch-order.js';
import { TrackedMap } from './tracked-map.js';

/** What the rules leave to a host. Part of the state, because the same records mean something else under others. */
export interface Settings {
  /** Most subjects that one binding may have tracked at once; beyond it occurrences are appended (RFC-006 §11). */
  readonly maxSubjects: number;
  /** Whether what one context has read is read everywhere, or in that context only (RFC-006 §3.3 "Per context"). */
  readonly consumption: 'per-context' | 'shared';
}

export const DEFAULT_SETTINGS: Settings = { maxSubjects: 100_000, consumption: 'per-context' };

/** Everything the host must not forget. Changed only by `reduce`. */
export interface HostState {
  settings: Settings;
  readonly contexts: Map<string, Context>;
  readonly subjects: TrackedMap<string, Subject>;
  /** `subjects` by binding. */
  readonly tracked: Map<string, TouchOrder>;
  readonly receipts: Receipts;
  nextBatch: number;
  nextSubject: number;
  /** The number of the last record; one that is not above it is never applied again. */
  applied: number;
}

export const createState = (settings: Settings = DEFAULT_SETTINGS): HostState => ({
  settings,
  contexts: new Map(),
  subjects: new TrackedMap(),
  tracked: new Map(),
  receipts: new Receipts(),
  nextBatch: 1,
  nextSubject: 1,
  applied: 0,
});

export const contextOf = (state: HostState, id: string): Context => {
  const existing = state.contexts.get(id);
  if (existing) return existing;
  const created = createContext(id, state.contexts.size);
  state.contexts.set(id, created);
  return created;
};
