import {
  type ChannelsIncomingResult,
  channelsIncomingParams,
  DEFAULT_RETRY_WINDOW_MS,
  type IncomingResult,
  type Lane,
  McplError,
  type PushEventResult,
  parseParams,
} from '@mcpl-bridges/protocol';
import type { AdmittedOccurrence, Treatment } from '../core/occurrence.js';
import type { Receipt } from '../core/receipts.js';
import type { Engine } from '../engine.js';
import type { Profile } from '../profile.js';
import { admitIncoming, admitPush, requireCapability, type SessionView } from './admission.js';
import type { Backpressure } from './backpressure.js';

/** What was decided about one occurrence that arrived. */
export interface OccurrenceReport {
  readonly serverId: string;
  readonly eventId: string;
  readonly lane: Lane;
  readonly channelId: string | null;
  readonly key: string | null;
  /** The RFC-006 outcome, `duplicate`, `accepted` for an ordinary one, or `refused`. */
  readonly outcome: string;
  readonly reason?: string;
}

export interface InboxOptions {
  readonly serverId: string;
  readonly profile: Profile;
  readonly engine: Engine;
  readonly view: () => SessionView;
  readonly onOccurrence: (report: OccurrenceReport) => void;
  readonly backpressure: Backpressure;
}

/** What one server sends in: admitted or refused, answered when it is durable, told to the operator. */
export class Inbox {
  constructor(private readonly options: InboxOptions) {}

  pushEvent(params: Record<string, unknown>): PushEventResult | Promise<PushEventResult> {
    let occurrence: AdmittedOccurrence;
    try {
      occurrence = admitPush(this.options.view(), params);
    } catch (error) {
      if (error instanceof McplError) this.reportRefusal('push/event', params, error.message);
      throw error;
    }
    const { receipt, durable } = this.admit('push/event', occurrence);
    const result = { accepted: true, ...receipt };
    return durable ? durable.then(() => result) : result;
  }

  async incoming(params: Record<string, unknown>): Promise<ChannelsIncomingResult> {
    const view = this.options.view();
    requireCapability(view, 'channels.incoming');
    const { messages } = parseParams(channelsIncomingParams, params);
    const admitted = messages.map((message) => this.incomingMessage(view, message));
    await Promise.all(admitted.map(({ durable }) => durable));
    return { results: admitted.map(({ result }) => result) };
  }

  private incomingMessage(
    view: SessionView,
    raw: unknown,
  ): { result: IncomingResult; durable?: Promise<void> | undefined } {
    const admission = admitIncoming(view, raw);
    const { messageId } = admission;
    if (admission.kind === 'refused') {
      this.reportRefusal('channels/incoming', (raw ?? {}) as Record<string, unknown>, admission.reason);
      return { result: { messageId, accepted: false, reason: admission.reason } };
    }
    const { receipt, durable } = this.admit('channels/incoming', admission.occurrence);
    return { result: { messageId, accepted: true, ...receipt }, durable };
  }

  /** Lets the engine decide, tells the operator, and returns what to answer and what to wait for first. */
  private admit(lane: Lane, occurrence: AdmittedOccurrence): { receipt: Receipt; durable: Promise<void> | undefined } {
    const { treatment } = occurrence;
    const { engine, backpressure } = this.options;
    const { kind, receipt, durable } = engine.admit(occurrence, this.retryWindowMs(lane, treatment));
    if (durable) backpressure.during(durable);
    const scope = treatment.kind === 'ordinary' ? undefined : treatment.scope;
    this.options.onOccurrence({
      serverId: this.options.serverId,
      eventId: occurrence.eventId,
      lane,
      channelId: scope?.kind === 'channel' ? scope.channelId : (occurrence.message?.channelId ?? null),
      key: treatment.kind === 'ordinary' ? null : treatment.key,
      outcome: kind === 'duplicate' ? 'duplicate' : (receipt.coalesce?.outcome ?? 'accepted'),
    });
    return { receipt, durable };
  }

  /** How long a repetition will be known for one; 0 where this host keeps no receipt of its kind. */
  private retryWindowMs(lane: Lane, treatment: Treatment): number {
    const { coalescing, recognises } = this.options.profile;
    const kept =
      treatment.kind !== 'ordinary' ||
      recognises === 'everything' ||
      (recognises === 'pushes' && lane === 'push/event');
    return kept ? (coalescing?.retryWindowMs ?? DEFAULT_RETRY_WINDOW_MS) : 0;
  }

  private reportRefusal(lane: Lane, raw: Record<string, unknown>, reason: string): void {
    const coalesce = raw.coalesce as { key?: unknown; channelId?: unknown } | undefined;
    const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
    this.options.onOccurrence({
      serverId: this.options.serverId,
      eventId: text(raw.eventId) ?? '',
      lane,
      channelId: text(raw.channelId) ?? text(coalesce?.channelId),
      key: text(coalesce?.key),
      outcome: 'refused',
      reason,
    });
  }
}
