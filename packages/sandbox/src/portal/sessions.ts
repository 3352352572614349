import { randomUUID } from 'node:crypto';
import type { PortalEvent } from '@mcpl-bridges/portal-client';

/** How many of a persona's events a session can be brought back. */
export const BUFFER = 1000;

/** A socket that a persona has come in by. */
export interface RelaySession {
  readonly id: string;
  readonly personaId: string;
  /** Parents of which all talk is heard. */
  readonly subscriptions: Set<string>;
  send(frame: object): void;
  close(code: number, reason: string): void;
}

interface Stream {
  seq: number;
  readonly buffer: { readonly seq: number; readonly event: PortalEvent }[];
}

/** What became of a wish to resume. */
export type Resumption =
  | { readonly kind: 'resumed'; readonly session: RelaySession; readonly missed: Stream['buffer'] }
  | { readonly kind: 'refused'; readonly reason: string };

type Ends = Pick<RelaySession, 'send' | 'close'>;

/** Personas' streams of events, and the sessions that hear them. */
export class RelaySessions {
  private readonly live = new Map<string, RelaySession>();
  private readonly streams = new Map<string, Stream>();
  /** Whose a session was, for as long as the relay runs. */
  private readonly owners = new Map<string, string>();

  enter(personaId: string, subscriptions: readonly string[], ends: Ends): RelaySession {
    this.streamOf(personaId);
    return this.add({ id: `sess_${randomUUID()}`, personaId, subscriptions: new Set(subscriptions), ...ends });
  }

  /** A session that is resumed has heard nothing of messages meanwhile, and is subscribed to nothing. */
  resume(id: string, seq: number, ends: Ends): Resumption {
    const personaId = this.owners.get(id);
    const stream = personaId === undefined ? undefined : this.streams.get(personaId);
    if (personaId === undefined || !stream) return { kind: 'refused', reason: 'unknown session' };
    const oldest = stream.buffer[0]?.seq;
    const isGap = oldest === undefined ? seq < stream.seq : seq < oldest - 1;
    if (isGap) return { kind: 'refused', reason: 'resume window exceeded' };
    const session = this.add({ id: `sess_${randomUUID()}`, personaId, subscriptions: new Set(), ...ends });
    // A session that was resumed goes by its old name, too.
    this.owners.set(id, personaId);
    return { kind: 'resumed', session, missed: stream.buffer.filter((one) => one.seq > seq) };
  }

  leave(session: RelaySession): void {
    this.live.delete(session.id);
  }

  seqOf(personaId: string): number {
    return this.streamOf(personaId).seq;
  }

  /** Personas that are here now. */
  get present(): ReadonlySet<string> {
    return new Set([...this.live.values()].map(({ personaId }) => personaId));
  }

  /** Personas that were here since the relay began. */
  get known(): readonly string[] {
    return [...this.streams.keys()];
  }

  sessionsOf(personaId: string): RelaySession[] {
    return [...this.live.values()].filter((session) => session.personaId === personaId);
  }

  isSubscribed(personaId: string, channelId: string): boolean {
    return this.sessionsOf(personaId).some(({ subscriptions }) => subscriptions.has(channelId));
  }

  /** Every session of a persona hears the same, under the same numbers. */
  tell(personaId: string, event: PortalEvent): void {
    const stream = this.streamOf(personaId);
    stream.seq += 1;
    stream.buffer.push({ seq: stream.seq, event });
    if (stream.buffer.length > BUFFER) stream.buffer.shift();
    for (const session of this.sessionsOf(personaId)) session.send({ op: 'dispatch', seq: stream.seq, d: event });
  }

  /** What is told to whoever is here, and kept for nobody. */
  tellInPassing(personaId: string, event: PortalEvent): void {
    for (const session of this.sessionsOf(personaId)) session.send({ op: 'dispatch_ephemeral', d: event });
  }

  /** As after a restart of the relay: nobody's session is known, and numbers begin anew. */
  forget(): void {
    this.streams.clear();
    this.owners.clear();
  }

  private add(session: RelaySession): RelaySession {
    this.live.set(session.id, session);
    this.owners.set(session.id, session.personaId);
    return session;
  }

  private streamOf(personaId: string): Stream {
    const stream = this.streams.get(personaId) ?? { seq: 0, buffer: [] };
    this.streams.set(personaId, stream);
    return stream;
  }
}
