import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { plainText } from '@mcpl-bridges/protocol';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type AuditLog, noAudit } from './audit/audit.js';
import { bindingId } from './binding.js';
import { type Clock, systemClock } from './clock.js';
import type { Batch } from './core/batch.js';
import type { Entry } from './core/context.js';
import type { RenderEnd } from './core/deferred.js';
import type { AdmittedOccurrence } from './core/occurrence.js';
import { Engine } from './engine.js';
import { type Journal, noJournal } from './journal/journal.js';
import type { ChangeReceipt } from './manifest/manifest-change.js';
import type { Model, ModelMessage, ModelReply } from './model/model.js';
import { PROFILES, type Profile } from './profile.js';
import type { Place, PublishOutcome } from './publish/publish-outcome.js';
import { type Destination, lastPlace, Speech } from './publish/speech.js';
import { DEFAULT_RENDER_LIMITS, LimitedRenders, type RenderLimits } from './render/render-limits.js';
import { Faults } from './session/faults.js';
import type { OperatorPolicy } from './session/grant.js';
import { HostSession } from './session/host-session.js';
import type { OccurrenceReport } from './session/inbox.js';

export interface HostOptions {
  /** What kind of host to play. Default `strict`. */
  readonly profile?: Profile | undefined;
  readonly clock?: Clock | undefined;
  /** What survives the process. Default: nothing. */
  readonly journal?: Journal | undefined;
  /** Where it is told what no model will read as it was sent. Default: nowhere. */
  readonly audit?: AuditLog | undefined;
  /** The contexts a fresh event reaches. Default: one, `main`. */
  readonly route?: ((occurrence: AdmittedOccurrence) => readonly string[]) | undefined;
  readonly renders?: Partial<RenderLimits> | undefined;
  /** Most subjects that one server may have tracked at once. Default 100,000. */
  readonly maxSubjects?: number | undefined;
  /** Tag globs that agents' rules name: it is told when a server no longer declares one. Default: none. */
  readonly referencedTags?: readonly string[] | undefined;
  readonly newId?: (() => string) | undefined;
}

export interface ConnectOptions {
  readonly serverId: string;
  /** What the transport reaches: a URL or a command line. Part of the binding's identity. */
  readonly endpoint: string;
  readonly principal?: string | undefined;
  readonly policy?: OperatorPolicy | undefined;
  /** Overrides the profile's retry window on this connection, ms. */
  readonly retryWindowMs?: number | undefined;
  readonly handshakeTimeoutMs?: number | undefined;
  /** On a profile that holds early traffic: how long after the policy it is let in, ms. Default 0. */
  readonly holdMs?: number | undefined;
  /** Shortest time between two fetches of the server's manifest, ms. Default 2,000. */
  readonly manifestIntervalMs?: number | undefined;
  /** What this host gets wrong with this server. Default: nothing. */
  readonly faults?: Faults | undefined;
}

export interface Turn {
  readonly n: number;
  readonly conversation: string;
  /** What the model read, oldest first. */
  readonly context: readonly string[];
  readonly reply?: ModelReply;
  readonly published?: PublishOutcome & { readonly channelId: string };
}

export interface PublishOptions {
  /** Where in the channel; absent is the server's own choice (RFC-011). */
  readonly threadId?: Place;
  readonly conversationId?: string | undefined;
  /** As a Request, or as a Notification that nobody answers. Default `request`. */
  readonly as?: 'request' | 'notification';
}

interface HostEvents {
  occurrence: [OccurrenceReport];
  /** A server registered or changed channels. */
  channels: [HostSession];
  /** A server is not what it was. */
  changed: [HostSession, ChangeReceipt];
  closed: [HostSession];
  error: [Error];
  /** The journal cannot be written: nothing is decided any more, and the process should end. */
  failed: [Error];
}

/** The reference host: connected servers, what their agents' contexts hold, and the agents' turns. */
export class Host extends EventEmitter<HostEvents> {
  readonly engine: Engine;
  private readonly profile: Profile;
  private readonly journal: Journal;
  private readonly newId: () => string;
  private readonly sessions = new Map<string, HostSession>();
  /** The last connection of each binding: what it might do at its end is what its unread work may do. */
  private readonly lastSessions = new Map<string, HostSession>();
  private turns = 0;
  private summaries = 0;

  constructor(private readonly options: HostOptions = {}) {
    super();
    const { profile = PROFILES.strict, journal = noJournal, maxSubjects } = options;
    this.profile = profile;
    this.journal = journal;
    this.newId = options.newId ?? randomUUID;
    const renders = new LimitedRenders((batch, timeoutMs) => this.render(batch, timeoutMs), {
      ...DEFAULT_RENDER_LIMITS,
      ...options.renders,
    });
    this.engine = new Engine({
      clock: options.clock ?? systemClock,
      journal,
      audit: options.audit ?? noAudit,
      route: options.route ?? (() => ['main']),
      render: (batch) => renders.render(batch),
      recovery: profile.recovery,
      settings: { consumption: profile.consumption, ...(maxSubjects === undefined ? {} : { maxSubjects }) },
    });
    this.engine.on('failed', (error) => this.emit('failed', error));
  }

  /** Connects to a server and completes handshake and policy. @throws when the server refuses or does not answer */
  async connect(transport: Transport, options: ConnectOptions): Promise<HostSession> {
    const { serverId, handshakeTimeoutMs, holdMs, manifestIntervalMs } = options;
    const session: HostSession = new HostSession(transport, {
      serverId,
      binding: bindingId(options),
      profile: withWindow(this.profile, options.retryWindowMs),
      policy: options.policy ?? {},
      faults: options.faults ?? new Faults(),
      engine: this.engine,
      handshakeTimeoutMs,
      holdMs,
      manifestIntervalMs,
      referencedTags: this.options.referencedTags ?? [],
      onOccurrence: (report) => this.emit('occurrence', report),
      onChannels: (which) => this.emit('channels', which),
      onChange: (receipt) => this.emit('changed', session, receipt),
      onError: (error) => this.report(error),
      onClose: () => {
        if (this.sessions.get(serverId) === session) this.sessions.delete(serverId);
        this.emit('closed', session);
      },
    });
    await session.connect();
    this.sessions.set(serverId, session);
    this.lastSessions.set(session.binding, session);
    return session;
  }

  /** One inference, whatever the context holds: assembles it, asks `model`, publishes what it says. */
  async turn(model: Model, context = 'main'): Promise<Turn> {
    return this.infer(model, context, await this.engine.assemble(context));
  }

  /**
   * One inference, if there is news: where every cause was a batch that materialised nothing, or a message that was
   * taken back, none runs (RFC-006 revision 8, §5.3).
   */
  async turnForNews(model: Model, context = 'main'): Promise<Turn | undefined> {
    if (!this.engine.hasNews(context)) return undefined;
    const assembled = await this.engine.assemble(context);
    return assembled.consumed.length === 0 ? undefined : this.infer(model, context, assembled);
  }

  /**
   * Summarises a context: everything in it is consumed by the summariser, and its summary takes the place of what was
   * read (RFC-006 §3.3: summarisation consumes).
   */
  async compress(model: Model, context = 'main'): Promise<void> {
    const { entries } = await this.engine.assemble(context);
    const reply = await model.respond({ context, messages: entries.map(toModelMessage), fresh: 0 });
    if (reply) this.engine.recordSummary(context, `summary:${++this.summaries}`, reply.text, entries.length);
  }

  /**
   * A subagent reads a context, which consumes what is in it (RFC-006 §3.3), and answers whoever asked: nothing is
   * published, and the context does not hold the answer.
   */
  async consult(model: Model, context = 'main'): Promise<ModelReply | undefined> {
    const { entries, consumed } = await this.engine.assemble(context);
    return model.respond({ context, messages: entries.map(toModelMessage), fresh: consumed.length });
  }

  private async infer(
    model: Model,
    context: string,
    { entries, consumed }: { readonly entries: readonly Entry[]; readonly consumed: readonly Entry[] },
  ): Promise<Turn> {
    const n = ++this.turns;
    const messages = entries.map(toModelMessage);
    const place = lastPlace(entries);
    const speech = new Speech(this.newId(), context, (channelId) => this.destination(place, channelId));
    speech.begin();
    let reply: ModelReply | undefined;
    try {
      reply = await model.respond({ context, messages, fresh: consumed.length }, speech.say);
    } finally {
      speech.end();
    }
    const seen = { n, conversation: context, context: messages.map((message) => message.text) };
    if (!reply) return seen;
    this.engine.recordReply(context, `reply:${n}`, reply.text);
    const channelId = reply.channelId ?? place?.channelId;
    if (channelId === undefined) return { ...seen, reply };
    const threadId = this.destination(place, channelId)?.threadId;
    const outcome = await this.publish(channelId, reply.text, { threadId, conversationId: context });
    return { ...seen, reply, published: { channelId, ...outcome } };
  }

  /** Where text for `channelId` goes: into the thread of what it answers, on a channel that posts where it is asked. */
  private destination(
    place: { channelId: string; threadId?: string } | undefined,
    channelId = place?.channelId,
  ): Destination | undefined {
    const session = channelId === undefined ? undefined : this.sessionOf(channelId);
    if (!session || channelId === undefined) return undefined;
    const target = session.channels.get(channelId)?.capabilities?.publish?.target;
    const thread = place?.channelId === channelId ? (place.threadId ?? null) : null;
    const threadId = target === undefined ? undefined : target === 'root' ? null : thread;
    return { outgoing: session.outgoing, channelId, threadId };
  }

  private async render(batch: Batch, timeoutMs: number): Promise<RenderEnd> {
    const session = this.lastSessions.get(batch.latest.binding);
    return session?.render(batch, timeoutMs) ?? { kind: 'fallback', why: 'the server has not connected yet' };
  }

  /** Delivers text to a channel by the server that registered it (SPEC §14.3). Never throws: what is known is returned. */
  async publish(channelId: string, text: string, options: PublishOptions = {}): Promise<PublishOutcome> {
    const session = this.sessionOf(channelId);
    if (!session) return { kind: 'refused', reason: `no connected server has registered ${channelId}` };
    const content = [{ type: 'text' as const, text }];
    const { threadId, conversationId, as = 'request' } = options;
    if (as === 'request') return session.outgoing.publish({ channelId, content, threadId, conversationId });
    if (threadId !== undefined) return { kind: 'refused', reason: 'a post that asks for a place must be a Request' };
    return session.outgoing.publishUnconfirmed({ channelId, content, conversationId });
  }

  async close(): Promise<void> {
    await Promise.all([...this.sessions.values()].map((session) => session.close()));
    await this.journal.close();
  }

  private sessionOf(channelId: string): HostSession | undefined {
    return [...this.sessions.values()].find((one) => one.channels.has(channelId));
  }

  private report(error: Error): void {
    if (this.listenerCount('error') > 0) this.emit('error', error);
  }
}

const toModelMessage = (entry: Entry): ModelMessage => ({
  role: entry.role,
  text: plainText([...entry.content]),
  tags: entry.tags,
  ...(entry.message ? { message: entry.message } : {}),
});

const withWindow = (profile: Profile, retryWindowMs: number | undefined): Profile =>
  profile.coalescing && retryWindowMs !== undefined
    ? { ...profile, coalescing: { ...profile.coalescing, retryWindowMs } }
    : profile;
