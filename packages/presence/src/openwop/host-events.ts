import { PRESENCE_EVENT } from '../feed/snapshot.js';

/** The types of events that belong to no run (RFC 0236 §B, RFC 0241 §A). */
export const HOST_EVENT_TYPES = [
  { type: PRESENCE_EVENT, delivery: 'ephemeral' },
  { type: 'host-test.ephemeral-triggered', delivery: 'ephemeral' },
  { type: 'host-test.durable-triggered', delivery: 'durable' },
] as const;

export type Delivery = (typeof HOST_EVENT_TYPES)[number]['delivery'];

/** The operator's own tenant: the callers that are bound to none. */
const OPERATOR = '';

export interface HostEvent {
  readonly eventId: string;
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly delivery: Delivery;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Only what is durable has an id: what has none is never asked for again (RFC 0236 §C). */
export const hostEventFrame = (event: HostEvent): string =>
  `event: ${event.type}\n${event.delivery === 'durable' ? `id: ${event.eventId}\n` : ''}data: ${JSON.stringify(event)}\n\n`;

export type HostEventListener = (event: HostEvent) => void;

/** Durable events that are kept for a tenant. They are test events, and empty. */
const RETAINED = 100;

/** The events of tenants, each told to its own subscribers only (RFC 0236 §D). */
export class HostEvents {
  private readonly listeners = new Map<string, Set<HostEventListener>>();
  private readonly retained = new Map<string, HostEvent[]>();

  constructor(
    private readonly newId: () => string,
    private readonly now: () => string,
  ) {}

  /** Emits a test event (RFC 0241 §B). */
  trigger(tenant: string | undefined, delivery: Delivery): HostEvent {
    const owner = tenant ?? OPERATOR;
    const event: HostEvent = {
      eventId: this.newId(),
      type: `host-test.${delivery}-triggered`,
      timestamp: this.now(),
      delivery,
      payload: {},
    };
    if (delivery === 'durable') this.retained.set(owner, [...this.of(owner), event].slice(-RETAINED));
    for (const listener of [...(this.listeners.get(owner) ?? [])]) listener(event);
    return event;
  }

  /** The durable events after the one with this id, as far as they are still known. */
  after(tenant: string | undefined, eventId: string): readonly HostEvent[] {
    const kept = this.of(tenant ?? OPERATOR);
    const at = kept.findIndex((event) => event.eventId === eventId);
    return at === -1 ? [] : kept.slice(at + 1);
  }

  /** @returns what ends it */
  listen(tenant: string | undefined, listener: HostEventListener): () => void {
    const owner = tenant ?? OPERATOR;
    const listeners = this.listeners.get(owner) ?? new Set();
    this.listeners.set(owner, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.listeners.delete(owner);
    };
  }

  private of(tenant: string): readonly HostEvent[] {
    return this.retained.get(tenant) ?? [];
  }
}
