/** A dispatch, as far as it tells which one it is. */
export interface Numbered {
  readonly t?: unknown;
  readonly s?: number | null;
  readonly d?: unknown;
}

interface Place {
  readonly session: unknown;
  readonly s: number;
}

/** Knows dispatches that come a second time: within a session they are numbered, and a session begins with its name. */
export class Repetitions {
  /** The last dispatch, by shard. */
  private readonly last = new Map<number, Place>();

  /** Whether a dispatch was seen before; to be asked of every one, in order. */
  isOne({ t, s, d }: Numbered, shard: number): boolean {
    if (typeof s !== 'number') return false;
    const last = this.last.get(shard);
    const session = t === 'READY' ? (d as { session_id?: unknown } | undefined)?.session_id : last?.session;
    if (last && session === last.session && s <= last.s) return true;
    this.last.set(shard, { session, s });
    return false;
  }
}
