import type { PresenceSource } from '@mcpl-bridges/chat/program';
import type { PortalEvent } from '@mcpl-bridges/portal-client';
import { DEFAULT_TRACKER_LIMITS, type PresenceFeed, type Roster } from '@mcpl-bridges/presence';
import { mcplChannelId, portalChannelId } from './ids.js';
import type { PortalDirectory } from './relay/directory.js';

/** Where the statuses of channels without a guild would be: relays tell none. */
const NO_GUILD = 'none';

interface Met {
  readonly name: string;
  /** Monotonic, ms. */
  readonly at: number;
}

export interface PortalPresenceOptions {
  readonly directory: PortalDirectory;
  /** The persona's id; empty before it is known. */
  readonly selfId: () => string;
  readonly selfName: () => string;
  /** Monotonic, ms. */
  readonly now: () => number;
}

/**
 * Who is where on a relay, which says nothing of it but who speaks and who types. Whoever did so a while ago could see the
 * channel then; of everybody else that is not known, and they are not shown.
 */
export class PortalPresence implements PresenceSource {
  readonly roster: Roster;
  private readonly met = new Map<string, Map<string, Met>>();
  private feed: PresenceFeed | undefined;
  private isIn = false;

  constructor(private readonly options: PortalPresenceOptions) {
    const { directory, selfId } = options;
    const scopeOf = (channelId: string): string | undefined => {
      const id = portalChannelId(channelId);
      return directory.isVisible(id) ? (directory.get(id)?.guildId ?? NO_GUILD) : undefined;
    };
    this.roster = {
      get selfId() {
        return selfId() || undefined;
      },
      scopeOf,
      isKnown: (channelId) => scopeOf(channelId) !== undefined,
      isMember: (channelId, userId) =>
        directory.isVisible(portalChannelId(channelId)) &&
        (userId === selfId() || this.meeting(channelId, userId) !== undefined),
      nameOf: (channelId, userId) => this.meeting(channelId, userId)?.name,
      channels: (scope) =>
        directory
          .visible()
          .map(({ id }) => mcplChannelId(id))
          .filter((id) => scope === undefined || scopeOf(id) === scope),
    };
  }

  get tells(): boolean {
    return this.isIn;
  }

  get selfName(): string {
    return this.options.selfName();
  }

  start(feed: PresenceFeed): void {
    this.feed = feed;
  }

  heard(channelId: string, userId: string, name: string): void {
    const here = this.met.get(channelId) ?? new Map<string, Met>();
    this.met.set(channelId, here);
    // The last one met is the last in the map: the first are the first to be forgotten.
    here.delete(userId);
    here.set(userId, { name, at: this.options.now() });
    for (const [id] of here) if (!this.meeting(channelId, id)) here.delete(id);
  }

  /** Something that a relay tells in passing, too. */
  told(event: PortalEvent): void {
    if (event.type !== 'typing' || event.author.kind === 'system') return;
    const { author } = event;
    const channelId = mcplChannelId(event.channelId);
    const userId = author.kind === 'persona' ? author.personaId : author.userId;
    this.heard(channelId, userId, author.displayName);
    this.feed?.tell({ kind: 'typing', channelId, userId });
  }

  entered(): void {
    this.isIn = true;
    for (const scope of this.scopes()) this.feed?.tell({ kind: 'census', scope });
    this.changed();
  }

  lost(): void {
    for (const scope of this.scopes()) this.feed?.tell({ kind: 'lost', scope });
  }

  /** What the persona may see has changed. */
  changed(): void {
    for (const scope of this.scopes()) this.feed?.rosterChanged(scope);
  }

  private scopes(): readonly string[] {
    return [...this.options.directory.allGuilds().map(({ id }) => id), NO_GUILD];
  }

  private meeting(channelId: string, userId: string): Met | undefined {
    const met = this.met.get(channelId)?.get(userId);
    return met && this.options.now() - met.at < DEFAULT_TRACKER_LIMITS.speakingMs ? met : undefined;
  }
}
