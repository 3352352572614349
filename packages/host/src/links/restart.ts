/** When a server that is gone is started or dialled again. */
export interface RestartPolicy {
  /** `on-failure`: unless it ended by its own will, or could not be reached at all. */
  readonly when: 'always' | 'on-failure' | 'never';
  /** The first pause is up to this, and each further one up to twice the last, ms. Default 1,000. */
  readonly firstMs?: number | undefined;
  /** No pause is longer, ms. A connection that lasts this long starts the pauses anew. Default 60,000. */
  readonly maxMs?: number | undefined;
}

/** How a connection to a server came to its end. */
export interface Ending {
  /** `unreached`: it never came to a session. */
  readonly how: 'unreached' | 'failed' | 'finished';
  readonly why: string;
}

const DEFAULT_FIRST_MS = 1000;
const DEFAULT_MAX_MS = 60_000;

export const mayRestart = ({ when }: RestartPolicy, { how }: Ending, everConnected: boolean): boolean => {
  if (when === 'on-failure') return how === 'failed' || (how === 'unreached' && everConnected);
  return when === 'always';
};

/** The pause before the `attempt`th restart in a row (from 1), with full jitter; `random` in [0, 1). */
export const pauseMs = ({ firstMs, maxMs }: RestartPolicy, attempt: number, random: number): number => {
  const ceiling = Math.min(maxMs ?? DEFAULT_MAX_MS, (firstMs ?? DEFAULT_FIRST_MS) * 2 ** (attempt - 1));
  return Math.round(random * ceiling);
};

/** Whether a connection lasted long enough to start the pauses anew. */
export const wasHealthy = ({ maxMs }: RestartPolicy, lastedMs: number): boolean =>
  lastedMs >= (maxMs ?? DEFAULT_MAX_MS);
