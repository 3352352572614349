import type { Log, Time } from '@mcpl-bridges/producer';
import type { PresenceFeed } from '../feed/feed.js';
import type { SubjectRefs } from '../refs.js';
import type { BrowserSessions } from './browser-sessions.js';
import type { Gate } from './gate.js';
import type { HostEvents } from './host-events.js';
import type { PresenceStream } from './presence-stream.js';
import type { StreamCounts } from './stream-counts.js';

/** What all routes work with. */
export interface ServiceContext {
  readonly name: string;
  readonly version: string;
  readonly feed: PresenceFeed;
  readonly refs: SubjectRefs;
  readonly isAgent: (userId: string) => boolean;
  readonly gate: Gate;
  readonly sessions: BrowserSessions;
  readonly counts: StreamCounts;
  readonly hostEvents: HostEvents;
  /** The streams that are open. */
  readonly streams: Set<{ readonly stream: PresenceStream; readonly end: () => void }>;
  readonly seams: boolean;
  readonly emits: () => boolean;
  readonly time: Time;
  /** ISO 8601. */
  readonly now: () => string;
  readonly newId: () => string;
  readonly log: Log;
}
