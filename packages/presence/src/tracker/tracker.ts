import { Fading } from './fading.js';
import type { Signal, Status, Touched } from './signal.js';

export interface TrackerLimits {
  /** How long somebody types who does not say so again, ms. Discord: 10 s. */
  readonly typingMs: number;
  /** How long somebody stays who went offline, and how long a cut connection may take to come back, ms. */
  readonly graceMs: number;
  /** How long somebody counts as recently speaking, ms. */
  readonly speakingMs: number;
  /** How long what another instance says of somebody holds, ms. */
  readonly sharedMs: number;
  /** Most users of one channel's view; where there are more, those who do something there. */
  readonly most: number;
}

export const DEFAULT_TRACKER_LIMITS: TrackerLimits = {
  typingMs: 10_000,
  graceMs: 10_000,
  speakingMs: 300_000,
  sharedMs: 30_000,
  most: 500,
};

/** Who is in a channel, by the platform's ids, in no order. */
export interface View {
  readonly present: readonly string[];
  /** Each of them is present. */
  readonly typing: readonly string[];
}

export const nobody = (): View => ({ present: [], typing: [] });

/** What decides a view beside what the tracker knows. */
export interface Viewpoint {
  readonly channelId: string;
  readonly scope: string;
  /** The agent's own account: here as long as the connection stands. */
  readonly selfId: string | undefined;
  /** Who may see the channel now. */
  readonly isMember: (userId: string) => boolean;
}

interface Scope {
  /** Of those who are not offline; `undefined` where the platform does not tell. */
  statuses: Map<string, Status> | undefined;
  readonly voices: Map<string, string>;
}

/**
 * What is known of who is where. Keeps what it was told, and forgets it in time; who may be seen by whom is asked of the
 * viewpoint, each time. No I/O: `now` is any monotonic clock, ms.
 */
export class PresenceTracker {
  private readonly limits: TrackerLimits;
  private readonly scopes = new Map<string, Scope>();
  private readonly typing: Fading;
  private readonly speaking: Fading;
  private readonly leaving: Fading;
  private readonly cut: Fading;
  private readonly shared: Fading;
  private readonly blind = new Set<string>();
  private readonly voiceIn = new Map<string, Set<string>>();
  private readonly threads = new Map<string, Set<string>>();

  constructor(limits: Partial<TrackerLimits> = {}) {
    this.limits = { ...DEFAULT_TRACKER_LIMITS, ...limits };
    const { typingMs, speakingMs, graceMs, sharedMs } = this.limits;
    this.typing = new Fading(typingMs);
    this.speaking = new Fading(speakingMs);
    this.leaving = new Fading(graceMs);
    this.cut = new Fading(graceMs);
    this.shared = new Fading(sharedMs);
  }

  /** @returns where something may look otherwise now; `undefined` for what changes nothing */
  tell(signal: Signal, now: number): Touched | undefined {
    switch (signal.kind) {
      case 'census':
        return this.census(signal);
      case 'status':
        return this.status(signal.scope, signal.userId, signal.status, now) ? inScope(signal.scope) : undefined;
      case 'typing':
        return this.typing.see(signal.channelId, signal.userId, now) ? inChannel(signal.channelId) : undefined;
      case 'spoke': {
        const wasTyping = this.typing.drop(signal.channelId, signal.userId);
        const isNew = this.speaking.see(signal.channelId, signal.userId, now);
        return wasTyping || isNew ? inChannel(signal.channelId) : undefined;
      }
      case 'shared':
        return this.shared.see(signal.channelId, signal.userId, now) ? inChannel(signal.channelId) : undefined;
      case 'unshared':
        return this.shared.drop(signal.channelId, signal.userId) ? inChannel(signal.channelId) : undefined;
      case 'voice':
        return this.voice(signal.scope, signal.userId, signal.channelId) ? inScope(signal.scope) : undefined;
      case 'thread-members':
        return this.threadMembers(signal.channelId, signal.joined, signal.left);
      case 'thread-census':
        this.threads.set(signal.channelId, new Set(signal.members));
        return inChannel(signal.channelId);
      case 'gone':
        this.scopes.get(signal.scope)?.statuses?.delete(signal.userId);
        this.leaving.drop(signal.scope, signal.userId);
        this.voice(signal.scope, signal.userId, undefined);
        return inScope(signal.scope);
      case 'lost':
        this.cut.see(signal.scope, '', now);
        return undefined;
      case 'back':
        this.cut.drop(signal.scope, '');
        return this.blind.delete(signal.scope) ? inScope(signal.scope) : undefined;
      case 'channel-gone':
        this.typing.dropAll(signal.channelId);
        this.speaking.dropAll(signal.channelId);
        this.shared.dropAll(signal.channelId);
        this.threads.delete(signal.channelId);
        return inChannel(signal.channelId);
    }
  }

  /** Forgets what has lasted its time. @returns where something may look otherwise now */
  expire(now: number): readonly Touched[] {
    const channels = [this.typing, this.speaking, this.shared].flatMap((fading) => fading.expire(now));
    const cut = this.cut.expire(now);
    for (const scope of cut) this.blind.add(scope);
    return [...channels.map(inChannel), ...[...this.leaving.expire(now), ...cut].map(inScope)];
  }

  /** When `expire` is next worth calling; `undefined` while nothing fades. */
  get nextExpiry(): number | undefined {
    const ends = [this.typing, this.speaking, this.shared, this.leaving, this.cut].flatMap(
      ({ nextEnd }) => nextEnd ?? [],
    );
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  /** Whether what is known of a scope holds now; or does no more; or nothing ever was. */
  sightOf(scope: string): 'seen' | 'lost' | 'never' {
    if (this.blind.has(scope)) return 'lost';
    return this.scopes.has(scope) ? 'seen' : 'never';
  }

  /** `undefined` where the platform does not tell statuses. */
  statusOf(scope: string, userId: string): Status | undefined {
    const statuses = this.scopes.get(scope)?.statuses;
    return statuses && (statuses.get(userId) ?? 'offline');
  }

  /** Who is in a channel as far as its members may know. */
  look({ channelId, scope, selfId, isMember }: Viewpoint): View {
    const known = this.scopes.get(scope);
    if (!known || this.blind.has(scope)) return nobody();
    const { statuses } = known;
    const typing = this.typing.at(channelId).filter(isMember);
    const self = selfId !== undefined && isMember(selfId) ? [selfId] : [];
    const isHere = (userId: string): boolean => !statuses || statuses.has(userId) || this.leaving.has(scope, userId);
    const speaking = this.speaking.at(channelId).filter((userId) => isHere(userId) && isMember(userId));
    const voices = [...(this.voiceIn.get(channelId) ?? [])].filter(isMember);
    const shared = this.shared.at(channelId).filter(isMember);
    const active = new Set([...self, ...shared, ...typing, ...voices, ...speaking.reverse()]);
    const all = new Set(active);
    const joined = this.threads.get(channelId);
    const candidates = joined
      ? [...joined].filter((userId) => statuses && isHere(userId))
      : [...(statuses?.keys() ?? []), ...this.leaving.at(scope)];
    for (const userId of candidates) if (isMember(userId)) all.add(userId);
    const { most } = this.limits;
    const present = all.size > most ? [...active].slice(0, most) : [...all];
    const shown = new Set(present);
    return { present, typing: typing.filter((userId) => shown.has(userId)) };
  }

  private census({ scope, statuses, voices = [] }: Signal & { kind: 'census' }): Touched {
    for (const userId of [...(this.scopes.get(scope)?.voices.keys() ?? [])]) this.voice(scope, userId, undefined);
    const online = statuses?.filter(([, status]) => status !== 'offline');
    this.scopes.set(scope, { statuses: online && new Map(online), voices: new Map() });
    for (const [userId, channelId] of voices) this.voice(scope, userId, channelId);
    this.leaving.dropAll(scope);
    this.cut.drop(scope, '');
    this.blind.delete(scope);
    return inScope(scope);
  }

  private status(scope: string, userId: string, status: Status, now: number): boolean {
    const statuses = this.scopes.get(scope)?.statuses;
    if (!statuses) return false;
    const before = statuses.get(userId) ?? 'offline';
    if (before === status) return false;
    if (status !== 'offline') {
      statuses.set(userId, status);
      this.leaving.drop(scope, userId);
      return true;
    }
    statuses.delete(userId);
    this.leaving.see(scope, userId, now);
    return true;
  }

  private voice(scope: string, userId: string, channelId: string | undefined): boolean {
    const voices = this.scopes.get(scope)?.voices;
    const before = voices?.get(userId);
    if (!voices || before === channelId) return false;
    if (before !== undefined) {
      const users = this.voiceIn.get(before);
      users?.delete(userId);
      if (users?.size === 0) this.voiceIn.delete(before);
      voices.delete(userId);
    }
    if (channelId !== undefined) {
      voices.set(userId, channelId);
      this.voiceIn.set(channelId, (this.voiceIn.get(channelId) ?? new Set()).add(userId));
    }
    return true;
  }

  private threadMembers(channelId: string, joined: readonly string[], left: readonly string[]): Touched {
    const members = this.threads.get(channelId) ?? new Set();
    for (const userId of joined) members.add(userId);
    for (const userId of left) members.delete(userId);
    this.threads.set(channelId, members);
    return inChannel(channelId);
  }
}

const inScope = (scope: string): Touched => ({ kind: 'scope', scope });
const inChannel = (channelId: string): Touched => ({ kind: 'channel', channelId });
