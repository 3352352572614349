import { type Context, createContext } from './context.js';
import { createReceipts, type Receipts } from './receipts.js';
import type { Subject } from './subject.js';

export interface StateOptions {
  /** Most subjects that one binding may have tracked at once; beyond it occurrences are appended. Default 100,000. */
  readonly maxSubjects?: number;
}

/** Everything the host must not forget. Changed only by `reduce`. */
export interface HostState {
  readonly maxSubjects: number;
  readonly contexts: Map<string, Context>;
  readonly subjects: Map<string, Subject>;
  /** How many of `subjects` each binding has. */
  readonly tracked: Map<string, number>;
  readonly receipts: Receipts;
  nextBatch: number;
}

export const createState = ({ maxSubjects = 100_000 }: StateOptions = {}): HostState => ({
  maxSubjects,
  contexts: new Map(),
  subjects: new Map(),
  tracked: new Map(),
  receipts: createReceipts(),
  nextBatch: 1,
});

export const contextOf = (state: HostState, id: string): Context => {
  const existing = state.contexts.get(id);
  if (existing) return existing;
  const created = createContext(id);
  state.contexts.set(id, created);
  return created;
};
