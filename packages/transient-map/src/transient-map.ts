/** Entries that may be gone before the table is built anew. */
const RENEWED_AFTER = 1024;

/**
 * A map for what comes and goes all the time, such as requests under way. A `Map` from which as much is deleted as is
 * added moves into a new table every so often, and in V8 each table that is left points to the next one and to every
 * value it held. Once a single one of them is old, all that follow it, and what is long gone from the map, outlive the
 * collections of young objects: in a busy process those then take longer by a factor of ten. This one begins with a
 * table that nothing points to whenever enough is gone, at a cost that is shared by what is gone.
 */
export class TransientMap<K, V> {
  private map = new Map<K, V>();
  private gone = 0;

  get size(): number {
    return this.map.size;
  }

  has(key: K): boolean {
    return this.map.has(key);
  }

  get(key: K): V | undefined {
    return this.map.get(key);
  }

  set(key: K, value: V): void {
    this.map.set(key, value);
  }

  /** @returns whether it was there */
  delete(key: K): boolean {
    if (!this.map.delete(key)) return false;
    this.gone += 1;
    if (this.gone >= RENEWED_AFTER && this.gone >= this.map.size) this.renew();
    return true;
  }

  clear(): void {
    this.map = new Map();
    this.gone = 0;
  }

  /** In the order of `set`, as of now: what happens to the map meanwhile is not seen. */
  entries(): [K, V][] {
    return [...this.map];
  }

  keys(): K[] {
    return [...this.map.keys()];
  }

  values(): V[] {
    return [...this.map.values()];
  }

  private renew(): void {
    this.map = new Map(this.map);
    this.gone = 0;
  }
}
