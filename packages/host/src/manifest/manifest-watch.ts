import { type Manifest, manifestChangedParams, manifestDigest } from '@mcpl-bridges/protocol';

export interface ManifestWatchOptions {
  /** Shortest time between two fetches, ms (SPEC §17.8). */
  readonly intervalMs: number;
  /** What becomes of announcements that come sooner: one fetch when the time is over, or nothing. */
  readonly sooner: 'deferred' | 'lost';
  /** Asks the server; resolves to what it answered. */
  readonly fetch: () => Promise<unknown>;
  /** As at `initialize`; `undefined` where it cannot be read at all. */
  readonly read: (raw: unknown) => Manifest | undefined;
  readonly adopt: (manifest: Manifest, revision: string) => Promise<void>;
  /** The server did what it should not, or could not be asked. Nothing has changed. */
  readonly onDefect: (defect: Error) => void;
}

/** More announcements than this inside one interval are a defect worth telling (SPEC §17.8). */
const FLOOD = 20;

type State =
  | { readonly kind: 'idle' }
  /** A fetch is under way, or its interval is not over. */
  | { readonly kind: 'busy'; announced: number };

/** Fetches a server's manifest when it says that it has changed, no more often than it may. */
export class ManifestWatch {
  private state: State = { kind: 'idle' };
  private current: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly options: ManifestWatchOptions) {}

  /** Digest of the manifest in force. */
  get revision(): string | undefined {
    return this.current;
  }

  /** What the connection began with. */
  seed(manifest: unknown): void {
    this.current = digestOf(manifest);
  }

  /** `mcpl/manifestChanged` has come. It is a hint: only what is fetched changes anything (SPEC §17.3). */
  announced(params: Record<string, unknown>): void {
    if (!manifestChangedParams.safeParse(params).success) {
      this.options.onDefect(new Error('mcpl/manifestChanged must hold a revision and a list of domains, nothing else'));
      return;
    }
    if (this.state.kind === 'idle') {
      void this.fetch();
      return;
    }
    this.state.announced += 1;
    if (this.state.announced === FLOOD)
      this.options.onDefect(
        new Error(`${FLOOD} manifest changes within ${this.options.intervalMs} ms; one fetch serves them`),
      );
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async fetch(): Promise<void> {
    this.state = { kind: 'busy', announced: 0 };
    try {
      await this.take(await this.options.fetch());
    } catch (error) {
      if (!this.stopped) this.options.onDefect(error as Error);
    }
    if (!this.stopped) this.timer = setTimeout(() => this.rested(), this.options.intervalMs);
  }

  private rested(): void {
    const again = this.state.kind === 'busy' && this.state.announced > 0 && this.options.sooner === 'deferred';
    this.state = { kind: 'idle' };
    if (again) void this.fetch();
  }

  private async take(raw: unknown): Promise<void> {
    const manifest = this.options.read(raw);
    const digest = digestOf(raw);
    if (!manifest || digest === undefined) throw new Error('the manifest that was fetched cannot be read');
    if (manifest.revision !== undefined && manifest.revision !== digest)
      this.options.onDefect(new Error(`the manifest says it is ${manifest.revision} and is ${digest}`));
    if (digest === this.current) return;
    this.current = digest;
    await this.options.adopt(manifest, digest);
  }
}

const digestOf = (manifest: unknown): string | undefined => {
  try {
    return manifestDigest(manifest);
  } catch {
    return undefined;
  }
};
