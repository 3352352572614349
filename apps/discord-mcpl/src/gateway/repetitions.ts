/** Knows dispatches that come a second time: within a session they are numbered. */
export class Repetitions {
  /** The number of the last dispatch, by shard. */
  private readonly last = new Map<number, number>();

  /** Whether a dispatch was seen before; to be asked of every one, in order. */
  isOne({ t, s }: { readonly t?: unknown; readonly s?: number | null }, shard: number): boolean {
    if (typeof s !== 'number') return false;
    if (t !== 'READY' && s <= (this.last.get(shard) ?? 0)) return true;
    this.last.set(shard, s);
    return false;
  }
}
