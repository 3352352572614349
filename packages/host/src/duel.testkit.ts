import { type Manifest, plainText } from '@mcpl-bridges/protocol';
import { McplWire, type RequestFailure } from '@mcpl-bridges/transport';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { expect, vi } from 'vitest';
import { type Entry, Host, type HostSession, type Journal, type OperatorPolicy } from './index.js';
import { Oracle, type OracleOccurrence } from './oracle.testkit.js';
import { paperJournal } from './paper-journal.testkit.js';

export const CONTEXTS = ['A', 'B', 'C'] as const;
/** Subjects in the channel, and one in the feature set. */
export const KEYS = ['K', 'L', 'F'] as const;
export const POLICIES = ['full', 'set disabled', 'no incoming', 'no pushes', 'channel elsewhere'] as const;

const CHANNEL = 'chat:room';
const RENDER_TIMEOUT_MS = 5000;

const MANIFEST: Manifest = {
  version: '0.5',
  pushEvents: true,
  channels: { register: true, incoming: true },
  featureSets: { doc: { description: 'documents', uses: ['pushEvents'] } },
};

const OPERATOR: Record<(typeof POLICIES)[number], OperatorPolicy> = {
  full: {},
  'set disabled': { disabled: ['doc'] },
  'no incoming': { capabilities: ['pushEvents', 'channels.register'] },
  'no pushes': { capabilities: ['channels.register', 'channels.incoming'] },
  'channel elsewhere': { channels: ['elsewhere'] },
};

export type Step =
  | {
      readonly do: 'occur';
      readonly kind: OracleOccurrence['kind'];
      readonly key: (typeof KEYS)[number];
      readonly lane: 'push' | 'incoming';
      readonly initial: boolean;
      readonly empty: boolean;
    }
  | { readonly do: 'retry'; readonly back: number }
  | { readonly do: 'audience'; readonly contexts: readonly string[] }
  | { readonly do: 'begin'; readonly context: (typeof CONTEXTS)[number] }
  /** The server answers one of the renders that it holds, in time or too late. */
  | { readonly do: 'answer'; readonly which: number; readonly how: 'rendered' | 'empty' | 'error' }
  /** Nobody waits for the renders that are under way any more. */
  | { readonly do: 'timeout' }
  | { readonly do: 'grant'; readonly policy: (typeof POLICIES)[number] }
  | { readonly do: 'disconnect' }
  | { readonly do: 'reconnect' }
  /** The process dies; another takes over, and the server connects to it. */
  | { readonly do: 'restart' };

interface Held {
  readonly eventId: string;
  readonly settle: (how: 'rendered' | 'empty' | 'error', text: string) => void;
}

interface Sent {
  readonly method: 'push/event' | 'channels/incoming';
  readonly params: Record<string, unknown>;
  readonly oracle: OracleOccurrence;
}

/** Everything in memory settles in microtasks; this is more of them than the longest path takes. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 60; i++) await null;
};

/** A whole host behind a wire and the oracle through the same program, compared after every step. Wants fake timers. */
export class Duel {
  private readonly oracle: Oracle;
  private readonly reopen: () => Journal;
  private readonly sent: Sent[] = [];
  private held: Held[] = [];
  private host: Host;
  private session: HostSession | undefined;
  private wire: McplWire | undefined;
  private policy: (typeof POLICIES)[number] = 'full';
  /** What the host knows of its server: the policy of the last moment at which it was connected. */
  private known: (typeof POLICIES)[number] = 'full';
  private n = 0;

  constructor(
    checkpointEvery: number,
    private readonly capacity: number,
  ) {
    this.oracle = new Oracle(
      capacity,
      (subject) => this.mayPush(subject, this.known),
      (subject) => subject === 'F',
    );
    this.oracle.audience = CONTEXTS;
    this.reopen = paperJournal(checkpointEvery);
    this.host = this.start();
  }

  async run(steps: readonly Step[]): Promise<void> {
    await this.connect();
    for (const step of steps) await this.take(step);
    // Whatever is left is read in the end, so that nothing stays unseen.
    await this.take({ do: 'timeout' });
    for (const context of CONTEXTS) {
      await this.take({ do: 'begin', context });
      await this.take({ do: 'timeout' });
    }
  }

  private async take(step: Step): Promise<void> {
    await this.act(step);
    // Renders of a server that is not there end at once; so do those that had to wait for them.
    if (!this.session) for (let i = 0; i < 2; i++) this.oracle.rendersFail();
    await settled();
    for (const context of CONTEXTS) {
      const unread = textsOf(this.host.engine.unread(context));
      const all = textsOf(this.host.engine.entries(context));
      const read = all.slice(0, all.length - unread.length);
      expect({ context, read, unread }).toEqual({ context, ...this.oracle.texts(context) });
    }
  }

  private async act(step: Step): Promise<void> {
    switch (step.do) {
      case 'occur':
        return this.occur(step);
      case 'retry': {
        const earlier = this.sent.at(-step.back);
        return earlier && this.send(earlier);
      }
      case 'audience':
        this.oracle.audience = step.contexts;
        return;
      case 'begin':
        // One request of a context at a time.
        if (this.oracle.isAssembling(step.context)) return;
        this.oracle.begin(step.context);
        // A lost host's assembly never ends, and nobody waits for it.
        void this.host.engine.assemble(step.context);
        return;
      case 'answer':
        return this.answer(step);
      case 'timeout':
        vi.advanceTimersByTime(RENDER_TIMEOUT_MS);
        this.oracle.rendersFail();
        return;
      case 'grant':
        return this.grant(step.policy);
      case 'disconnect':
        return this.disconnect();
      case 'reconnect':
        return this.session ? undefined : this.connect();
      case 'restart':
        this.oracle.restart();
        this.session = undefined;
        this.held = [];
        this.host = this.start();
        return this.connect();
    }
  }

  private start(): Host {
    const host = new Host({
      clock: { now: () => this.n },
      journal: this.reopen(),
      route: () => this.oracle.audience,
      renders: { timeoutMs: RENDER_TIMEOUT_MS },
      maxSubjects: this.capacity,
    });
    return host;
  }

  private async connect(): Promise<void> {
    const [there, here] = InMemoryTransport.createLinkedPair();
    const wire = new McplWire(here);
    const capabilities = { experimental: { mcpl: MANIFEST } };
    wire.onmessage = (message: JSONRPCMessage) => {
      if (!('method' in message) || message.method !== 'initialize' || !('id' in message)) return;
      const result = { protocolVersion: '2024-11-05', capabilities, serverInfo: { name: 's', version: '1' } };
      void wire.send({ jsonrpc: '2.0', id: message.id, result });
    };
    wire.handle('featureSets/update', () => ({ accepted: true }));
    wire.handle('push/render', (params) => this.hold(params));
    await wire.start();
    this.wire = wire;
    const policy = OPERATOR[this.policy];
    this.session = await this.host.connect(there, { serverId: 'duel', endpoint: 'memory:', policy });
    this.known = this.policy;
    await this.register();
  }

  private hold(params: Record<string, unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.held.push({
        eventId: String(params.eventId),
        settle: (how, text) => {
          if (how === 'error') reject(new Error('the render failed'));
          else resolve({ content: how === 'empty' ? [] : [{ type: 'text', text }] });
        },
      });
    });
  }

  /** As servers do after every policy. */
  private async register(): Promise<void> {
    const channels = [{ id: CHANNEL, type: 'chat', label: '#room', direction: 'bidirectional' }];
    await this.wire?.request('channels/register', { channels }, { timeoutMs: 1000 });
  }

  private async grant(policy: (typeof POLICIES)[number]): Promise<void> {
    this.policy = policy;
    if (!this.session) return;
    this.known = policy;
    await this.session.applyPolicy(OPERATOR[policy]);
    await this.register();
  }

  private async disconnect(): Promise<void> {
    if (!this.session) return;
    await this.session.close();
    this.session = undefined;
  }

  private answer({ which, how }: Extract<Step, { do: 'answer' }>): void {
    const [one] = this.held.splice(which % Math.max(1, this.held.length), 1);
    if (!one) return;
    const text = `render ${this.n}`;
    one.settle(how, text);
    const results = { rendered: text, empty: '', error: undefined };
    this.oracle.renderEnds(one.eventId, results[how]);
  }

  private async occur(step: Extract<Step, { do: 'occur' }>): Promise<void> {
    this.n += 1;
    const { kind, key, initial } = step;
    const text = step.empty && kind !== 'plain' ? '' : `${kind} ${this.n}`;
    const oracle = { eventId: `e${this.n}`, kind, subject: key, initial, text };
    const byMessage = step.lane === 'incoming' && kind !== 'deferred' && key !== 'F';
    const sent: Sent = byMessage ? this.message(oracle) : this.push(oracle);
    this.sent.push(sent);
    await this.send(sent);
  }

  private push(oracle: OracleOccurrence): Sent {
    const { eventId, text, subject } = oracle;
    const scope = subject === 'F' ? {} : { channelId: CHANNEL };
    const payload = { content: text === '' ? [] : [{ type: 'text', text }] };
    const params = { featureSet: 'doc', eventId, timestamp: '2026-01-01T00:00:00Z', payload };
    return { method: 'push/event', params: { ...params, ...coalesceOf(oracle, scope) }, oracle };
  }

  private message(oracle: OracleOccurrence): Sent {
    const { eventId, text } = oracle;
    const message = {
      channelId: CHANNEL,
      messageId: eventId,
      author: { id: 'u', name: 'u' },
      timestamp: '2026-01-01T00:00:00Z',
      content: text === '' ? [] : [{ type: 'text', text }],
      eventId,
      ...coalesceOf(oracle, {}),
    };
    return { method: 'channels/incoming', params: { messages: [message] }, oracle };
  }

  private async send({ method, params, oracle }: Sent): Promise<void> {
    if (!this.session) return;
    const answered = await this.wire?.request(method, params, { timeoutMs: 1000 }).then(
      (result) => ({ result }),
      (failure: RequestFailure) => ({ failure }),
    );
    const allowed =
      method === 'push/event'
        ? oracle.kind === 'ordinary'
          ? this.mayPush('F', this.policy)
          : this.mayPush(oracle.subject, this.policy)
        : this.policy !== 'no incoming' && this.policy !== 'channel elsewhere';
    expect(outcomeOf(method, answered)).toBe(allowed ? (this.oracle.admit(oracle) ?? 'accepted') : 'refused');
  }

  private mayPush(subject: string, policy: (typeof POLICIES)[number]): boolean {
    if (policy === 'set disabled' || policy === 'no pushes') return false;
    return subject === 'F' || policy === 'full';
  }
}

const textsOf = (entries: readonly Entry[]): string[] => entries.map((entry) => plainText([...entry.content]));

const coalesceOf = ({ kind, subject, initial }: OracleOccurrence, scope: object): object => {
  const key = { key: subject, ...scope };
  switch (kind) {
    case 'ordinary':
      return {};
    case 'plain':
      return { coalesce: { ...key, initial } };
    case 'retract':
      return { coalesce: { ...key, retract: true } };
    case 'deferred':
      return { coalesce: { ...key, initial, deferred: true } };
  }
};

const outcomeOf = (method: string, answered: { result: unknown } | { failure: unknown } | undefined): string => {
  if (!answered || !('result' in answered)) return 'refused';
  type Answer = { accepted: boolean; coalesce?: { outcome: string } };
  const { result } = answered;
  const answer = method === 'push/event' ? (result as Answer) : (result as { results: Answer[] }).results[0];
  if (!answer?.accepted) return 'refused';
  return answer.coalesce?.outcome ?? 'accepted';
};
