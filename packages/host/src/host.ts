import { EventEmitter } from 'node:events';
import { type ChannelsPublishResult, channelsPublishResult, plainText } from '@mcpl-bridges/protocol';
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
import type { Model, ModelMessage, ModelReply } from './model/model.js';
import { PROFILES, type Profile } from './profile.js';
import type { OperatorPolicy } from './session/grant.js';
import { HostSession } from './session/host-session.js';
import type { OccurrenceReport } from './session/inbox.js';

export interface HostOptions {
  /** What kind of host to play. Default `strict`. */
  readonly profile?: Profile;
  readonly clock?: Clock;
  /** What survives the process. Default: nothing. */
  readonly journal?: Journal;
  /** Where it is told what no model will read as it was sent. Default: nowhere. */
  readonly audit?: AuditLog;
  /** The contexts a fresh event reaches. Default: one, `main`. */
  readonly route?: (occurrence: AdmittedOccurrence) => readonly string[];
  /** How long a server may take to render a batch, ms. Default 5,000 (RFC-006 §5.3). */
  readonly renderTimeoutMs?: number;
  /** Most subjects that one server may have tracked at once. Default 100,000. */
  readonly maxSubjects?: number;
  /** What becomes of unread work at a restart. Default `replaceable`. */
  readonly recovery?: 'replaceable' | 'sealed';
}

export interface ConnectOptions {
  readonly serverId: string;
  /** What the transport reaches: a URL or a command line. Part of the binding's identity. */
  readonly endpoint: string;
  readonly principal?: string;
  readonly policy?: OperatorPolicy;
  /** Overrides the profile's retry window on this connection, ms. */
  readonly retryWindowMs?: number;
  readonly handshakeTimeoutMs?: number;
}

export interface Turn {
  readonly n: number;
  /** What the model read, oldest first. */
  readonly context: readonly string[];
  readonly reply?: ModelReply;
  readonly published?: ChannelsPublishResult & { readonly channelId: string };
}

interface HostEvents {
  occurrence: [OccurrenceReport];
  /** A server registered or changed channels. */
  channels: [HostSession];
  closed: [HostSession];
  error: [Error];
}

/** The reference host: connected servers, what their agents' contexts hold, and the agents' turns. */
export class Host extends EventEmitter<HostEvents> {
  readonly engine: Engine;
  private readonly profile: Profile;
  private readonly journal: Journal;
  private readonly sessions = new Map<string, HostSession>();
  private turns = 0;
  private summaries = 0;

  constructor(options: HostOptions = {}) {
    super();
    this.profile = options.profile ?? PROFILES.strict;
    this.journal = options.journal ?? noJournal;
    this.engine = new Engine({
      clock: options.clock ?? systemClock,
      journal: this.journal,
      audit: options.audit ?? noAudit,
      route: options.route ?? (() => ['main']),
      render: (batch) => this.render(batch, options.renderTimeoutMs ?? 5000),
      recovery: options.recovery,
      ...(options.maxSubjects === undefined ? {} : { maxSubjects: options.maxSubjects }),
    });
  }

  /** Connects to a server and completes handshake and policy. @throws when the server refuses or does not answer */
  async connect(transport: Transport, options: ConnectOptions): Promise<HostSession> {
    const session: HostSession = new HostSession(transport, {
      serverId: options.serverId,
      binding: bindingId(options),
      profile: withWindow(this.profile, options.retryWindowMs),
      policy: options.policy ?? {},
      engine: this.engine,
      ...(options.handshakeTimeoutMs === undefined ? {} : { handshakeTimeoutMs: options.handshakeTimeoutMs }),
      onOccurrence: (report) => this.emit('occurrence', report),
      onChannels: (which) => this.emit('channels', which),
      onError: (error) => this.report(error),
      onClose: () => {
        if (this.sessions.get(options.serverId) === session) this.sessions.delete(options.serverId);
        this.emit('closed', session);
      },
    });
    await session.connect();
    this.sessions.set(options.serverId, session);
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

  private async infer(
    model: Model,
    context: string,
    { entries, consumed }: { readonly entries: readonly Entry[]; readonly consumed: readonly Entry[] },
  ): Promise<Turn> {
    const n = ++this.turns;
    const messages = entries.map(toModelMessage);
    const reply = await model.respond({ context, messages, fresh: consumed.length });
    const seen = { n, context: messages.map((message) => message.text) };
    if (!reply) return seen;
    this.engine.recordReply(context, `reply:${n}`, reply.text);
    const channelId = reply.channelId ?? lastChannel(entries);
    if (channelId === undefined) return { ...seen, reply };
    return { ...seen, reply, published: { channelId, ...(await this.publish(channelId, reply.text, context)) } };
  }

  private async render(batch: Batch, timeoutMs: number): Promise<RenderEnd> {
    const session = [...this.sessions.values()].find((one) => one.binding === batch.latest.binding);
    return session ? session.render(batch, timeoutMs) : { kind: 'fallback', why: 'the server is not connected' };
  }

  /** Delivers text to a channel by the server that registered it (SPEC §14.3). */
  async publish(channelId: string, text: string, conversationId = 'main'): Promise<ChannelsPublishResult> {
    const session = [...this.sessions.values()].find((one) => one.channels.has(channelId));
    if (!session) return { delivered: false, reason: `no connected server has registered ${channelId}` };
    const content = [{ type: 'text', text }];
    return channelsPublishResult.parse(
      await session.request('channels/publish', { conversationId, channelId, content }),
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.sessions.values()].map((session) => session.close()));
    await this.journal.close();
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

const lastChannel = (entries: readonly Entry[]): string | undefined =>
  entries.findLast((entry) => entry.message !== undefined)?.message?.channelId;

const withWindow = (profile: Profile, retryWindowMs: number | undefined): Profile =>
  profile.coalescing && retryWindowMs !== undefined
    ? { ...profile, coalescing: { ...profile.coalescing, retryWindowMs } }
    : profile;
