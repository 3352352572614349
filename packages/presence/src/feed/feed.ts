import { systemTime, type Time } from '@mcpl-bridges/producer';
import type { Roster } from '../roster.js';
import type { Signal, Touched } from '../tracker/signal.js';
import { nobody, PresenceTracker, type TrackerLimits, type View } from '../tracker/tracker.js';

export interface FeedOptions {
  readonly roster: Roster;
  /** How long changes of a channel are gathered before they are told, ms, 0 to 10,000. Default 2000. */
  readonly debounceMs?: number;
  readonly limits?: Partial<TrackerLimits>;
  readonly time?: Time;
  /** Told of every signal, whether it changes anything or not. */
  readonly onSignal?: (signal: Signal) => void;
}

/** Is told that a channel may look otherwise than the last time. */
export type Watcher = () => void;

interface Watched {
  readonly watchers: Set<Watcher>;
  callOff: (() => void) | undefined;
  /** As it was told last, while nobody's right to see anybody has changed. */
  view: View | undefined;
}

export const DEFAULT_DEBOUNCE_MS = 2000;

/**
 * Who is where, told to whoever watches. A channel's changes are gathered for `debounceMs` from the first one on and told
 * once: what came and went meanwhile was not there. Channels that nobody watches cost nothing but what is known of them.
 */
export class PresenceFeed {
  readonly roster: Roster;
  readonly tracker: PresenceTracker;
  private readonly time: Time;
  private readonly debounceMs: number;
  private readonly watched = new Map<string, Watched>();
  private readonly rosterWatchers = new Set<(scope: string) => void>();
  private callOffExpiry: (() => void) | undefined;
  private expiryAt = Number.POSITIVE_INFINITY;
  private closed = false;

  constructor(private readonly options: FeedOptions) {
    this.roster = options.roster;
    this.time = options.time ?? systemTime;
    this.debounceMs = options.debounceMs ?? DEFAULT_DEBOUNCE_MS;
    this.tracker = new PresenceTracker(options.limits);
  }

  /** Takes in what the platform tells. */
  tell(signal: Signal): void {
    this.take(signal);
    this.options.onSignal?.(signal);
  }

  /** Takes in what another instance was told. */
  take(signal: Signal): void {
    if (this.closed) return;
    const touched = this.tracker.tell(signal, this.time.monotonic());
    if (touched) this.touch(touched);
    this.planExpiry();
  }

  /** Who may see what has changed: at once for those who watch, and with the next view for what they see. */
  rosterChanged(scope: string): void {
    for (const [channelId, watched] of this.watched) if (this.isIn(channelId, scope)) watched.view = undefined;
    for (const watcher of [...this.rosterWatchers]) watcher(scope);
    this.touch({ kind: 'scope', scope });
  }

  /** Who is in a channel now; nobody in one that is not there. */
  look(channelId: string): View {
    const { roster } = this;
    const scope = roster.scopeOf(channelId);
    if (scope === undefined) return nobody();
    const { selfId } = roster;
    return this.tracker.look({
      channelId,
      scope,
      selfId,
      isMember: (userId) => roster.isMember(channelId, userId),
    });
  }

  /** Who is in a channel as watchers were told last; never anybody who may not be seen any more. */
  told(channelId: string): View {
    const watched = this.watched.get(channelId);
    const view = watched?.view ?? this.look(channelId);
    if (watched) watched.view = view;
    return view;
  }

  /** @returns what ends it */
  watch(channelId: string, watcher: Watcher): () => void {
    const watched = this.watched.get(channelId) ?? { watchers: new Set(), callOff: undefined, view: undefined };
    this.watched.set(channelId, watched);
    watched.watchers.add(watcher);
    return () => {
      watched.watchers.delete(watcher);
      if (watched.watchers.size > 0) return;
      watched.callOff?.();
      if (this.watched.get(channelId) === watched) this.watched.delete(channelId);
    };
  }

  /** @returns what ends it */
  watchRoster(watcher: (scope: string) => void): () => void {
    this.rosterWatchers.add(watcher);
    return () => this.rosterWatchers.delete(watcher);
  }

  close(): void {
    this.closed = true;
    this.callOffExpiry?.();
    for (const { callOff } of this.watched.values()) callOff?.();
    this.watched.clear();
    this.rosterWatchers.clear();
  }

  private touch(touched: Touched): void {
    if (touched.kind === 'channel') this.gather(touched.channelId);
    else for (const channelId of this.watched.keys()) if (this.isIn(channelId, touched.scope)) this.gather(channelId);
  }

  /** A channel that is gone has been anywhere. */
  private isIn(channelId: string, scope: string): boolean {
    const own = this.roster.scopeOf(channelId);
    return own === undefined || own === scope;
  }

  private gather(channelId: string): void {
    const watched = this.watched.get(channelId);
    if (!watched || watched.callOff) return;
    watched.callOff = this.time.after(this.debounceMs, () => {
      watched.callOff = undefined;
      watched.view = this.look(channelId);
      for (const watcher of [...watched.watchers]) watcher();
    });
  }

  private planExpiry(): void {
    const next = this.tracker.nextExpiry;
    if (next === undefined || next >= this.expiryAt) return;
    this.callOffExpiry?.();
    this.expiryAt = next;
    this.callOffExpiry = this.time.after(Math.max(0, next - this.time.monotonic()), () => {
      this.expiryAt = Number.POSITIVE_INFINITY;
      this.callOffExpiry = undefined;
      for (const touched of this.tracker.expire(this.time.monotonic())) this.touch(touched);
      this.planExpiry();
    });
  }
}
