import { PresenceFeed } from './feed/feed.js';
import type { Roster } from './roster.js';
import type { Signal } from './tracker/signal.js';

export const SCOPE = 'home';

/** A clock that stands still until it is moved. */
export class HandClock {
  private now = 0;
  private readonly alarms = new Set<{ at: number; action: () => void }>();

  monotonic(): number {
    return this.now;
  }

  after(ms: number, action: () => void): () => void {
    const alarm = { at: this.now + ms, action };
    this.alarms.add(alarm);
    return () => this.alarms.delete(alarm);
  }

  pass(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const next = [...this.alarms].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.alarms.delete(next);
      this.now = next.at;
      next.action();
    }
    this.now = until;
  }
}

/** Channels whose members are what a test says. */
export class Room implements Roster {
  selfId: string | undefined = 'agent';
  readonly members = new Map<string, Set<string>>();
  readonly names = new Map<string, string>();
  readonly feed: PresenceFeed;
  /** The scopes of channels that are not in `SCOPE`. */
  readonly elsewhere = new Map<string, string>();

  constructor(options: Partial<ConstructorParameters<typeof PresenceFeed>[0]> = {}) {
    this.feed = new PresenceFeed({ ...options, roster: this });
  }

  open(channelId: string, ...members: string[]): this {
    this.members.set(channelId, new Set(members));
    return this;
  }

  online(...userIds: string[]): void {
    this.feed.tell({ kind: 'census', scope: SCOPE, statuses: userIds.map((id) => [id, 'online']) });
  }

  tell(signal: Signal): void {
    this.feed.tell(signal);
  }

  admit(channelId: string, userId: string): void {
    this.members.get(channelId)?.add(userId);
    this.feed.rosterChanged(SCOPE);
  }

  remove(channelId: string, userId: string): void {
    this.members.get(channelId)?.delete(userId);
    this.feed.rosterChanged(SCOPE);
  }

  scopeOf(channelId: string): string | undefined {
    return this.members.has(channelId) ? (this.elsewhere.get(channelId) ?? SCOPE) : undefined;
  }

  isKnown(): boolean {
    return true;
  }

  isMember(channelId: string, userId: string): boolean {
    return this.members.get(channelId)?.has(userId) ?? false;
  }

  nameOf(_channelId: string, userId: string): string | undefined {
    return this.names.get(userId) ?? userId;
  }

  channels(scope?: string): string[] {
    return [...this.members.keys()].filter((id) => scope === undefined || this.scopeOf(id) === scope);
  }
}
