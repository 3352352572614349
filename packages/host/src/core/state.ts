import { type Context, createContext } from './context.js';
import { createReceipts, type Receipts } from './receipts.js';
import type { Subject } from './subject.js';

/** Everything the host must not forget. Changed only by `reduce`. */
export interface HostState {
  readonly contexts: Map<string, Context>;
  readonly subjects: Map<string, Subject>;
  readonly receipts: Receipts;
}

export const createState = (): HostState => ({
  contexts: new Map(),
  subjects: new Map(),
  receipts: createReceipts(),
});

export const contextOf = (state: HostState, id: string): Context => {
  const existing = state.contexts.get(id);
  if (existing) return existing;
  const created = createContext(id);
  state.contexts.set(id, created);
  return created;
};
