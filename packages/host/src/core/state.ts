import { type Context, createContext } from './context.js';
import { createReceipts, type Receipts } from './receipts.js';
import type { Subject } from './subject.js';

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
  readonly subjects: Map<string, Subject>;
  /** How many of `subjects` each binding has. */
  readonly tracked: Map<string, number>;
  readonly receipts: Receipts;
  nextBatch: number;
  /** The number of the last record; one that is not above it is never applied again. */
  applied: number;
}

export const createState = (settings: Settings = DEFAULT_SETTINGS): HostState => ({
  settings,
  contexts: new Map(),
  subjects: new Map(),
  tracked: new Map(),
  receipts: createReceipts(),
  nextBatch: 1,
  applied: 0,
});

export const contextOf = (state: HostState, id: string): Context => {
  const existing = state.contexts.get(id);
  if (existing) return existing;
  const created = createContext(id);
  state.contexts.set(id, created);
  return created;
};
