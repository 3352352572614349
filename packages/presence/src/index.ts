export { DEFAULT_DEBOUNCE_MS, type FeedOptions, PresenceFeed, type Watcher } from './feed/feed.js';
export { type PresencePayload, payloadOf } from './feed/snapshot.js';
export { PRESENCE_FORMS, type PresenceForm, PresenceProjection, type ProjectionOptions } from './mcpl/projection.js';
export { type Caller, type Callers, hashOf, readCallers } from './openwop/callers.js';
export {
  channelPresenceCapability,
  channelPresenceHostEvent,
  channelPresencePayload,
  channelPresenceRunEvent,
  errorEnvelope,
} from './openwop/schemas.js';
export { PresenceService, type PresenceServiceOptions } from './openwop/service.js';
export { SharedPresence, type SharedPresenceOptions } from './redis/shared-presence.js';
export { type RefOptions, SubjectRefs } from './refs.js';
export type { Roster } from './roster.js';
export type { Signal, Status, Touched } from './tracker/signal.js';
export { DEFAULT_TRACKER_LIMITS, PresenceTracker, type TrackerLimits, type View } from './tracker/tracker.js';
