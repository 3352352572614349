/** A value; nothing, once its entry is gone. */
interface Cell<V> {
  value: V | undefined;
}

/** Entries that may be gone before the table is built anew. */
const RENEWED_AFTER = 1024;

/**
 * A map for what comes and goes all the time, such as requests under way. A `Map` from which as much is deleted as is
 * added moves into a new table every so often, and in V8 each table that is left points to the next one and to every
 * value it held. Once a single one of them is old, all that follow it, and what is long gone from the map, outlive the
 * collections of young objects: in a busy process those then take longer by a factor of four. This one takes the values
 * out of reach of its tables, and begins with one that nothing points to whenever enough is gone.
 */
export class TransientMap<K, V> {
  private map = new Map<K, Cell<V>>();
  private gone = 0;

  get size(): number {
    return this.map.size;
  }

  has(key: K): boolean {
    return this.map.has(key);
  }

  get(key: K): V | undefined {
    return this.map.get(key)?.value;
  }

  set(key: K, value: V): void {
    this.map.set(key, { value });
  }

  /** @returns whether it was there */
  delete(key: K): boolean {
    const cell = this.map.get(key);
    if (!cell) return false;
    cell.value = undefined;
    this.map.delete(key);
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
    return Array.from(this.map, ([key, cell]) => [key, cell.value as V]);
  }

  keys(): K[] {
    return [...this.map.keys()];
  }

  values(): V[] {
    return Array.from(this.map.values(), (cell) => cell.value as V);
  }

  private renew(): void {
    this.map = new Map(this.map);
    this.gone = 0;
  }
}
