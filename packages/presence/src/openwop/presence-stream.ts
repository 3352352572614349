import type { PresenceFeed } from '../feed/feed.js';
import { LatestWriter } from '../feed/latest.js';
import { type PresencePayload, payloadOf } from '../feed/snapshot.js';
import type { SubjectRefs } from '../refs.js';
import type { Caller } from './callers.js';
import type { Gate } from './gate.js';

export interface StreamContext {
  readonly feed: PresenceFeed;
  readonly gate: Gate;
  readonly refs: SubjectRefs;
  readonly isAgent: (userId: string) => boolean;
  readonly caller: Caller;
  /** Whether presence is told at all now. */
  readonly emits: () => boolean;
  /** One channel, which ends the stream when it may not be seen any more; absent: all that may be seen. */
  readonly channelId?: string;
  readonly frameOf: (payload: PresencePayload) => string;
  /** Resolves when the reader can take more. */
  readonly write: (text: string) => Promise<void>;
  readonly end: () => void;
}

/** What one caller is told of channels, each time it is another: judged, and made, at the moment it is written. */
export class PresenceStream {
  private readonly writer: LatestWriter;
  private readonly watching = new Map<string, () => void>();
  /** By channel, what was written last. */
  private readonly written = new Map<string, string>();

  constructor(private readonly context: StreamContext) {
    this.writer = new LatestWriter(context.write);
    this.look();
  }

  /**
   * Looks at what may be seen, of a scope or at all: who has lost the right to it gets nothing more from this moment on.
   */
  look(scope?: string): void {
    const { feed, gate, caller, channelId, end } = this.context;
    if (!gate.knows(caller) || (channelId !== undefined && this.isLost(channelId))) {
      this.close();
      end();
      return;
    }
    if (scope !== undefined && caller.tenant !== undefined && caller.tenant !== scope) return;
    const among = channelId === undefined ? feed.roster.channels(scope ?? caller.tenant) : [channelId];
    const visible = [...among].filter((id) => gate.admits(caller, id));
    for (const id of [...this.watching.keys()]) if (this.isLost(id)) this.forget(id);
    for (const id of visible) if (!this.watching.has(id)) this.follow(id);
  }

  /** Writes something of another kind, in its turn. */
  say(name: string, text: string): void {
    this.writer.offer(name, () => text);
  }

  /** Whether something that was made for the reader has not reached it. */
  get isBusy(): boolean {
    return this.writer.isBusy;
  }

  close(): void {
    for (const id of [...this.watching.keys()]) this.forget(id);
  }

  /** While it is not known who may see a channel, nothing is said of it, and nobody is sent away. */
  private isLost(channelId: string): boolean {
    const { feed, gate, emits, caller } = this.context;
    const isPending = feed.roster.scopeOf(channelId) !== undefined && !feed.roster.isKnown(channelId);
    return emits() && !isPending && !gate.admits(caller, channelId);
  }

  private follow(channelId: string): void {
    const { feed } = this.context;
    this.watching.set(
      channelId,
      feed.watch(channelId, () => this.offer(channelId)),
    );
    this.offer(channelId);
  }

  private forget(channelId: string): void {
    this.watching.get(channelId)?.();
    this.watching.delete(channelId);
  }

  private offer(channelId: string): void {
    this.writer.offer(channelId, () => this.frame(channelId));
  }

  private frame(channelId: string): string | undefined {
    const { feed, gate, refs, isAgent, caller, frameOf } = this.context;
    const { roster } = feed;
    const scope = roster.scopeOf(channelId);
    if (scope === undefined || !this.watching.has(channelId) || !gate.admits(caller, channelId)) return undefined;
    const payload = payloadOf(channelId, feed.told(channelId), { refs, scope, isAgent });
    const text = JSON.stringify(payload);
    if (this.written.get(channelId) === text) return undefined;
    this.written.set(channelId, text);
    return frameOf(payload);
  }
}
