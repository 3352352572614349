export type { Callbacks } from './callbacks.js';
export type { DigestSubject, NoticeFacts } from './digest/digest-subject.js';
export {
  Dropped,
  type DroppedMention,
  type Folded,
  type NoticeOnly,
  type Renderer,
  type SourceBacked,
} from './digest/renderer.js';
export { type Log, silentLog } from './log.js';
export type { EditFacts, MessageFacts, MessageIdentity, MessageSubject } from './message-subject.js';
export { aboutOf, chooseRoute, type Route, type RouteFacts } from './occurrence/lane.js';
export {
  type Action,
  type EventOccurrence,
  type MessageOccurrence,
  messageKey,
  type NoticeOccurrence,
  type Occurrence,
  occurrenceId,
  type StateOccurrence,
} from './occurrence/occurrence.js';
export type { WireForm } from './occurrence/wire-form.js';
export { type BackoffOptions, backoffMs } from './outbox/backoff.js';
export type { Counts } from './outbox/counters.js';
export type { Health } from './outbox/group-commit.js';
export type { OutboxLimits, Submitted } from './outbox/outbox.js';
export type { Settlement } from './outbox/queued.js';
export type { Channel, EventFacts, FeatureSetPlace, Place } from './places.js';
export { Producer, type ProducerOptions } from './producer.js';
export type { Phase } from './session/session.js';
export type { StateFacts, StateSubject, WithdrawFacts } from './state-subject.js';
export { type BootClock, bootClock } from './store/boot-clock.js';
export { LmdbStore, type LmdbStoreOptions } from './store/lmdb-store.js';
export { MemoryStore } from './store/memory-store.js';
export { openStore, type StoreDefaults } from './store/open-store.js';
export { PendingStore } from './store/pending-store.js';
export { type Connection as RedisConnection, connectRedis } from './store/redis-connection.js';
export { type RedisSpec, readRedisSpec } from './store/redis-spec.js';
export { RedisStore, type RedisStoreOptions } from './store/redis-store.js';
export {
  type AttemptClock,
  type BurialReason,
  type DeadLetter,
  type RecordWrite,
  type Store,
  type Stored,
  type StoredEntry,
  StoreLostWrites,
  type StoreStep,
  StoreTakenOver,
} from './store/store.js';
export { doneWithin, systemTime, type Time } from './time.js';
export type { Tools } from './tools.js';
