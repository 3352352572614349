/** What has changed in a map: entries that are new or other, and entries that are gone. */
export interface MapChanges<K, V> {
  readonly put: readonly (readonly [K, V])[];
  /** As they last were. Their keys may be among `put` again. */
  readonly gone: readonly (readonly [K, V])[];
}

/** A map that can tell what has changed in it since it was last asked. Costs nothing until it is watched. */
export class TrackedMap<K, V> extends Map<K, V> {
  // Declared only: entries that are passed to the constructor arrive before fields would be set.
  declare private changed: Set<K> | undefined;
  declare private removed: [K, V][] | undefined;

  /** Remembers changes from now on. */
  watch(): void {
    this.changed = new Set();
    this.removed = [];
  }

  get isWatched(): boolean {
    return this.changed !== undefined;
  }

  override set(key: K, value: V): this {
    this.changed?.add(key);
    return super.set(key, value);
  }

  override delete(key: K): boolean {
    if (this.removed && this.has(key)) this.removed.push([key, this.get(key) as V]);
    return super.delete(key);
  }

  override clear(): void {
    for (const entry of this.removed ? this : []) this.removed?.push(entry);
    super.clear();
  }

  /** The value at `key` is not what it was. */
  touch(key: K): void {
    this.changed?.add(key);
  }

  /** Changes since `watch`, or since they were last taken. */
  takeChanges(): MapChanges<K, V> {
    const put: [K, V][] = [];
    for (const key of this.changed ?? []) {
      const value = this.get(key);
      if (value !== undefined) put.push([key, value]);
    }
    const gone = this.removed ?? [];
    this.watch();
    return { put, gone };
  }
}
