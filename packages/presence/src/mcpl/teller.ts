import type { People } from './people.js';

/** Tells the agent who is in one channel, in a form of its own. */
export interface Teller {
  /** Who the agent was told is here. */
  readonly told: People;
  tell(now: People): Promise<void>;
  /** Who is here is not known any more. */
  lost(): Promise<void>;
}
