import assert from 'node:assert/strict';
import type { PushRenderParams } from '@mcpl-bridges/protocol';
import type { AuditLine, HostDriver, StoredMessage } from './host-port.js';
import { Scenario, type ScenarioOptions } from './scenario.js';
import type { Rendered, RenderPlan, Reply } from './synthetic-server.js';

type Json = Record<string, unknown>;

/** What an occurrence is sent with, besides its text. */
export interface EventOptions {
  /** Default `K`; `null` sends it without `coalesce`. */
  readonly key?: string | null;
  /** Puts the subject into this channel's scope. */
  readonly channel?: string;
  readonly featureSet?: string;
  readonly server?: string;
  readonly eventId?: string;
  readonly tags?: readonly string[];
  readonly origin?: Json;
  readonly data?: unknown;
  readonly initial?: boolean;
}

export interface MessageOptions extends Omit<EventOptions, 'featureSet' | 'origin' | 'data'> {
  /** Default `m1`. */
  readonly messageId?: string;
}

/** What the producer was answered. */
export interface Answer {
  readonly outcome: string | undefined;
  readonly prior: string | undefined;
  /** The JSON-RPC error code, or the reason of a message that was not accepted. */
  readonly refused: number | string | undefined;
  /** The whole answer, for comparing a retry's with the original. */
  readonly reply: Reply;
}

const CHANNEL = 'chat';
const NO_RENDER: RenderPlan = { mode: 'empty' };

/** One host with its producers, told in the words of the cases. */
export class Scene {
  private n = 0;
  private requestsBeforeTurn = 0;

  private constructor(
    readonly scenario: Scenario,
    readonly driver: HostDriver,
  ) {}

  static async open(driver: HostDriver, options: ScenarioOptions = {}): Promise<Scene> {
    return new Scene(await Scenario.open(driver, options), driver);
  }

  create = (text: string, options: EventOptions = {}): Promise<Answer> => this.event(text, options, { initial: true });
  edit = (text: string, options: EventOptions = {}): Promise<Answer> => this.event(text, options, {});
  /** Without a text: a withdrawal without a notice. */
  retract = (text = '', options: EventOptions = {}): Promise<Answer> => this.event(text, options, { retract: true });
  notice = (fallback: string, options: EventOptions = {}): Promise<Answer> =>
    this.event(fallback, options, { deferred: true });

  private async event(text: string, options: EventOptions, form: Json): Promise<Answer> {
    return answerOf(await this.scenario.send('push/event', this.eventParams(text, options, form), options.server));
  }

  eventParams(text: string, options: EventOptions, form: Json): Json {
    const { key = 'K', channel, featureSet = 'doc', eventId = this.nextId(), tags, origin, data, initial } = options;
    const scope = channel === undefined ? {} : { channelId: channel };
    const more = { ...(initial === undefined ? {} : { initial }), ...(data === undefined ? {} : { data }) };
    return {
      featureSet,
      eventId,
      timestamp: '2026-01-01T00:00:00Z',
      payload: { content: text === '' ? [] : [{ type: 'text', text }] },
      ...(tags === undefined ? {} : { tags }),
      ...(origin === undefined ? {} : { origin }),
      ...(key === null ? {} : { coalesce: { key, ...scope, ...form, ...more } }),
    };
  }

  /** A message by `channels/incoming`; a create unless `initial` is false. */
  async message(text: string, options: MessageOptions = {}): Promise<Answer> {
    const [answer] = await this.messages([this.messageParams(text, options)], options.server);
    assert.ok(answer, 'a message was not answered');
    return answer;
  }

  messageParams(text: string, options: MessageOptions): Json {
    const { key = 'K', channel = CHANNEL, messageId = 'm1', eventId = this.nextId(), tags, initial = true } = options;
    return {
      channelId: channel,
      messageId,
      author: { id: 'u1', name: 'Alice' },
      timestamp: '2026-01-01T00:00:00Z',
      content: [{ type: 'text', text }],
      ...(tags === undefined ? {} : { tags }),
      ...(key === null ? {} : { eventId, coalesce: { key, ...(initial ? { initial } : {}) } }),
    };
  }

  async messages(messages: readonly Json[], server?: string): Promise<Answer[]> {
    const reply = await this.scenario.send('channels/incoming', { messages }, server);
    const { results = [] } = (reply.result ?? {}) as { results?: Json[] };
    return results.map((result) => answerOf({ result }));
  }

  async register(channel = CHANNEL, server?: string): Promise<void> {
    const { result } = await this.scenario.register(channel, server);
    assert.ok((result as { results: { accepted: boolean }[] }).results[0]?.accepted, `${channel} was not accepted`);
  }

  /** One inference of `agent`; what its model read, oldest first. */
  async reads(agent = this.agent): Promise<readonly string[]> {
    const before = this.requests(agent).length;
    await this.scenario.infer([agent], false);
    const [read] = this.requests(agent).slice(before);
    assert.ok(read, `no inference of ${agent} ran`);
    return read;
  }

  /** The agents run if there is news for them, side by side. Returns what the first one's model read, if it ran. */
  async turn(...agents: string[]): Promise<readonly string[] | undefined> {
    const before = this.requests(agents[0] ?? this.agent).length;
    await this.scenario.infer(agents.length > 0 ? agents : this.scenario.agents, true);
    return this.requests(agents[0] ?? this.agent)[before];
  }

  /** Every request that `agent`'s model was given, as texts. */
  requests(agent = this.agent): readonly (readonly string[])[] {
    return this.scenario.observed.requests
      .filter(({ model }) => model === `fixture-${agent}`)
      .map(({ messages }) => messages.map(({ content }) => content));
  }

  /** What `agent`'s context holds, read and unread. */
  async context(agent = this.agent): Promise<readonly StoredMessage[]> {
    return (await this.scenario.state()).contexts[agent] ?? [];
  }

  async audit(): Promise<readonly AuditLine[]> {
    return (await this.scenario.state()).audit;
  }

  renders(how: RenderPlan = NO_RENDER): void {
    this.scenario.plan(how);
  }

  get rendered(): readonly Rendered[] {
    return this.scenario.renders;
  }

  /** What the server was asked for in its `n`th render, from 0. */
  asked(n: number): PushRenderParams {
    const rendered = this.rendered[n];
    assert.ok(rendered, `no render ${n} was asked for`);
    return rendered.params as unknown as PushRenderParams;
  }

  /** The ids of the notices that a render was asked for. */
  noticesOf(render: number): readonly string[] {
    return this.asked(render).notices.map(({ eventId }) => eventId);
  }

  /** Begins a turn whose render the server holds, and waits until it is asked for `count` renders in all. */
  async beginHeld(count: number, ...agents: string[]): Promise<void> {
    this.renders({ mode: 'held' });
    this.requestsBeforeTurn = this.requests().length;
    this.scenario.begin(agents.length > 0 ? agents : this.scenario.agents);
    await until(() => this.rendered.length >= count, `${count} renders`);
  }

  /** The held render is answered with `text`, and the turn goes on to its end. */
  async release(text: string): Promise<readonly string[] | undefined> {
    this.scenario.release(text);
    return this.join();
  }

  /** Waits for the turn that was begun. Returns what its model read, if it ran. */
  async join(): Promise<readonly string[] | undefined> {
    await this.scenario.join();
    return this.requests()[this.requestsBeforeTurn];
  }

  async close(): Promise<void> {
    await this.scenario.close();
  }

  private get agent(): string {
    return this.scenario.agents[0] ?? 'agent';
  }

  private nextId(): string {
    this.n += 1;
    return `e${this.n}`;
  }
}

const answerOf = (reply: Reply): Answer => {
  const { accepted, reason, coalesce } = (reply.result ?? {}) as {
    accepted?: boolean;
    reason?: string;
    coalesce?: { outcome?: string; priorEventId?: string };
  };
  const refused = reply.error?.code ?? (accepted === false ? (reason ?? 'no reason') : undefined);
  return { outcome: coalesce?.outcome, prior: coalesce?.priorEventId, refused, reply };
};

/** Waits for something another process is about to do. @throws when it does not within ten seconds */
export const until = async (happened: () => boolean, what: string): Promise<void> => {
  const limit = performance.now() + 10_000;
  while (!happened()) {
    if (performance.now() > limit) throw new Error(`${what} did not come within ten seconds`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
