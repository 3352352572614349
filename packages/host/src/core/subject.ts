import type { Batch } from './batch.js';
import type { MessageRef } from './occurrence.js';

/** What is known of a subject's past in one context (RFC-006 §3.3). Never goes from `some` or `unknown` to `none`. */
export type History = 'none' | 'some' | 'unknown';

/** A subject's state: one slot per context, and a history per context. */
export interface Subject {
  /** Its number among all subjects there ever were. */
  readonly n: number;
  readonly id: string;
  readonly binding: string;
  /** History in every context that is not named in `read`. */
  readonly elsewhere: 'none' | 'unknown';
  /** Contexts in which some occurrence of this subject was consumed, and the last one that was. */
  readonly read: Map<string, string>;
  /** The unread occupant per context: the slot of its entry. */
  readonly occupants: Map<string, number>;
  /** The batch that later notices join. */
  pending?: Batch;
  /** The batch that is being rendered. */
  frozen?: Batch;
  /** The platform message it is, where an occurrence ever named one; stays the reply target of those that do not. */
  message?: MessageRef;
  /** The record that last spoke of it: those that were not spoken of for longest are let go first. */
  touchedAt: number;
  /** Its neighbours in the order of `touchedAt`. */
  older?: Subject | undefined;
  newer?: Subject | undefined;
}

/** A subject starts at `none` only where its sender says that it starts here (RFC-006 §3.3). */
export const birth = (n: number, id: string, binding: string, initial: boolean): Subject => ({
  n,
  id,
  binding,
  elsewhere: initial ? 'none' : 'unknown',
  read: new Map(),
  occupants: new Map(),
  touchedAt: 0,
});

export const historyIn = (subject: Subject, context: string): History =>
  subject.read.has(context) ? 'some' : subject.elsewhere;
