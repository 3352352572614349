import { type Database, open, type RootDatabase } from 'lmdb';
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.js';

/** Keys in LMDB are ordered, and no longer than 1,978 bytes. */
export type Table<V, K extends string | number | readonly (string | number)[]> = Database<
  V,
  K extends readonly (string | number)[] ? (string | number)[] : K
>;

/** A folder that cannot be used as it is; says which, and what to do. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}

/**
 * An LMDB folder that this process has to itself, until it closes it or dies. Writes of one turn of the event loop share
 * a transaction, and those of one moment a flush.
 */
export class LmdbFolder {
  private readonly root: RootDatabase;
  private readonly meta: Database<unknown, string>;
  private readonly me = thisProcess();
  private closed = false;

  /**
   * @param path made when it is not there
   * @param schema the shape of what is kept; another number is another shape
   * @param migrate brings an older shape up to date, before anything else happens: all of what it writes at once is kept,
   *   or none of it
   * @throws FolderError when another process uses the folder, or a newer version has written it
   */
  constructor(
    private readonly path: string,
    schema: number,
    migrate: (folder: LmdbFolder, from: number) => void = () => {},
  ) {
    this.root = open({ path, encoding: 'json', maxDbs: 16 });
    this.meta = this.root.openDB<unknown, string>({ name: 'meta', encoding: 'json' });
    try {
      // One transaction: whoever cannot open the folder leaves it as it was, and without an owner.
      this.root.transactionSync(() => {
        this.own();
        this.bringTo(schema, migrate);
      });
    } catch (error) {
      void this.root.close();
      throw error;
    }
  }

  /** @param encoding `string` for values that are text already */
  table<V, K extends string | number | readonly (string | number)[]>(
    name: string,
    encoding: 'json' | 'string' = 'json',
  ): Table<V, K> {
    return this.root.openDB({ name, encoding }) as Table<V, K>;
  }

  /** Resolves when everything that was written before this call is on disk. */
  async flushed(written: Promise<boolean>): Promise<void> {
    await written;
    await this.root.flushed;
  }

  /** Leaves the folder to others. A second call does nothing. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.root.flushed;
    if (this.isMine()) await this.meta.remove('owner');
    await this.root.flushed;
    await this.root.close();
  }

  private own(): void {
    const owner = this.meta.get('owner') as ProcessIdentity | undefined;
    if (owner && isAlive(owner))
      throw new FolderError(
        `${this.path} is in use by process ${owner.pid}; stop that one, or use another folder: two would undo each other's work`,
      );
    this.meta.putSync('owner', this.me);
  }

  private bringTo(schema: number, migrate: (folder: LmdbFolder, from: number) => void): void {
    const found = this.meta.get('schema') as number | undefined;
    if (found !== undefined && found > schema)
      throw new FolderError(
        `${this.path} was written by a newer version (schema ${found}); update, or use another folder`,
      );
    if (found !== undefined && found < schema) migrate(this, found);
    this.meta.putSync('schema', schema);
  }

  private isMine(): boolean {
    const owner = this.meta.get('owner') as ProcessIdentity | undefined;
    return owner?.pid === this.me.pid && owner.startedAt === this.me.startedAt;
  }
}
