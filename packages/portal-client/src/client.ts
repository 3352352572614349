import { Calls, NotConnected } from './calls.js';
import { Handled } from './session/handled.js';
import {
  beginning,
  type Credentials,
  type Effect,
  type Input,
  type Login,
  type Phase,
  type SessionPoint,
  type SessionState,
  step,
} from './session/session.js';
import { type Dial, MAX_FRAME_BYTES, type Socket } from './socket.js';
import { isKnownEvent, type PortalEvent } from './wire/events.js';
import { type ClientFrame, type Ready, readFrame } from './wire/frames.js';
import type { RpcMethod, RpcParams, RpcResult } from './wire/rpc.js';

export interface PortalClientEvents {
  /**
   * The persona is in. Whatever happened while it was not is not told: neither after `anew`, with a new directory in
   * `ready`, nor after `resumed`. What the persona wants to hear was asked for again by then.
   */
  entered?(how: 'anew' | 'resumed', ready: Ready | undefined): void;
  /** Something happened. Call `handled(seq)` once it cannot be lost any more: a session is resumed behind what was handled. */
  event?(event: PortalEvent, seq: number): void;
  /** Something happens that is worth knowing now or never; nothing of it is told again. */
  passing?(event: PortalEvent): void;
  /** The relay does not let the persona in. With credentials it is asked again, slowly; with an invitation it is not. */
  refused?(reason: string): void;
  /** The connection is gone, and is made again. */
  lost?(): void;
}

export interface PortalClientOptions {
  /** `ws:` or `wss:`. */
  readonly url: string;
  readonly login: Login;
  readonly dial: Dial;
  /** Keeps credentials, before they are used for the first time. */
  readonly keep: (credentials: Credentials) => void;
  readonly on: PortalClientEvents;
  /** Where an earlier process was. */
  readonly session?: SessionPoint;
  /** Runs an action once after so many ms; returns what calls it off. Default: timers. */
  readonly after?: (ms: number, action: () => void) => () => void;
  /** In [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** How long a call may take, ms. Default 30,000. */
  readonly callTimeoutMs?: number;
}

/** How long a relay may take from the open socket to `ready`, ms. */
const ENTERING_MS = 20_000;

/** Bounds of the pauses between attempts, ms. */
const PAUSE = { baseMs: 1000, maxMs: 30_000 };

/** The pause after credentials were refused, ms. */
const LONG_PAUSE_MS = 60_000;

const byTimer = (ms: number, action: () => void): (() => void) => {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
};

/** A persona's connection to a relay: kept up, resumed where that is possible, and entered anew where it is not. */
export class PortalClient {
  private state: SessionState;
  private socket: Socket | undefined;
  private readonly calls: Calls;
  private handledEvents: Handled;
  private readonly after: NonNullable<PortalClientOptions['after']>;
  private readonly wanted = new Set<string>();
  /** What this session was asked to tell of, each with the relay's answer. */
  private readonly asked = new Map<string, Promise<void>>();
  private callOffBeat = (): void => {};
  private callOffWait = (): void => {};
  private onStopped: (() => void) | undefined;

  constructor(private readonly options: PortalClientOptions) {
    this.after = options.after ?? byTimer;
    this.calls = new Calls(this.after);
    this.state = beginning(options.login, options.session);
    this.handledEvents = new Handled(options.session?.seq);
  }

  start(): void {
    if (this.phase.kind === 'stopped') this.take({ kind: 'start' });
  }

  /** Leaves; resolves when the socket is closed, and the persona is away. */
  async stop(): Promise<void> {
    if (this.phase.kind === 'stopped') return;
    const isOpen = this.socket !== undefined;
    const closed = new Promise<void>((resolve) => {
      this.onStopped = resolve;
    });
    this.take({ kind: 'stop' });
    if (isOpen) await closed;
  }

  get phase(): Phase {
    return this.state.phase;
  }

  /** Where another process may go on; to be kept when it changes. */
  get session(): SessionPoint | undefined {
    const { session } = this.state;
    return session && { id: session.id, seq: this.handledEvents.until };
  }

  /** An event cannot be lost any more. */
  handled(seq: number): void {
    this.handledEvents.done(seq);
  }

  /**
   * Wants to hear all talk of a channel, now and after every return. Of a thread, its parent's id. Resolves when the relay
   * knows. @throws NotConnected where it will know later @throws CallRefused @throws CallUnknown
   */
  subscribe(channelId: string): Promise<void> {
    this.wanted.add(channelId);
    const underWay = this.asked.get(channelId);
    if (underWay) return underWay;
    const answer: Promise<void> = this.call('subscribe_channel', { channelId }).then(
      () => {},
      (error: Error) => {
        if (this.asked.get(channelId) === answer) this.asked.delete(channelId);
        throw error;
      },
    );
    this.asked.set(channelId, answer);
    return answer;
  }

  /** Whether the relay is asked for all talk of a channel, in this session. */
  hears(channelId: string): boolean {
    return this.phase.kind === 'ready' && this.asked.has(channelId);
  }

  unsubscribe(channelId: string): void {
    this.wanted.delete(channelId);
    this.asked.delete(channelId);
    if (this.phase.kind === 'ready') void this.call('unsubscribe_channel', { channelId }).catch(() => {});
  }

  /**
   * Asks the relay.
   * @throws NotConnected at once, where it is not there @throws CallRefused @throws CallUnknown where nobody knows whether it acted
   */
  async call<M extends RpcMethod>(method: M, params: RpcParams<M>, timeoutMs?: number): Promise<RpcResult<M>> {
    if (this.phase.kind !== 'ready') throw new NotConnected(`the relay is not there (${describe(this.phase)})`);
    const limit = timeoutMs ?? this.options.callTimeoutMs ?? 30_000;
    const result = await this.calls.make(method, limit, (id) => this.send({ op: 'rpc', d: { id, method, params } }));
    return result as RpcResult<M>;
  }

  /** Takes a new token. The old one works no more, so that the new one is kept before anything else. */
  async rotateToken(): Promise<void> {
    const { token } = await this.call('rotate_token', {});
    const { login } = this.state;
    if (login.kind !== 'credentials') return;
    const credentials = { ...login.credentials, token };
    this.options.keep(credentials);
    this.state = { ...this.state, login: { kind: 'credentials', credentials } };
  }

  private take(input: Input): void {
    const { session } = this;
    const before = session ? { ...this.state, session } : this.state;
    const [state, effects] = step(before, input, [...this.wanted]);
    this.state = state;
    for (const effect of effects) this.do(effect);
  }

  private do(effect: Effect): void {
    const { on, keep, random = Math.random } = this.options;
    switch (effect.kind) {
      case 'connect':
        this.connect();
        return;
      case 'send':
        this.send(effect.frame);
        return;
      case 'close':
        this.socket?.close(effect.code);
        return;
      case 'beat-every':
        this.callOffBeat();
        this.beatEvery(effect.ms);
        return;
      case 'lost':
        this.callOffBeat();
        this.calls.lost();
        on.lost?.();
        return;
      case 'expect':
        this.callOffWait();
        if (effect.isExpecting) this.callOffWait = this.after(ENTERING_MS, () => this.take({ kind: 'overdue' }));
        return;
      case 'pause': {
        const most = Math.min(PAUSE.maxMs, PAUSE.baseMs * 2 ** Math.min(effect.failures - 1, 30));
        const ms = effect.isLong ? LONG_PAUSE_MS * (1 + random()) : random() * most;
        this.callOffWait();
        this.callOffWait = this.after(Math.floor(ms), () => this.take({ kind: 'retry' }));
        return;
      }
      case 'keep':
        keep(effect.credentials);
        return;
      case 'entered':
        if (effect.ready) this.handledEvents = new Handled(effect.ready.seq);
        this.asked.clear();
        for (const channelId of this.wanted) this.subscribe(channelId).catch(() => {});
        on.entered?.(effect.how, effect.ready);
        return;
      case 'event':
        this.handledEvents.begun(effect.seq);
        if (isKnownEvent(effect.event)) on.event?.(effect.event, effect.seq);
        else this.handledEvents.done(effect.seq);
        return;
      case 'passing':
        if (isKnownEvent(effect.event)) on.passing?.(effect.event);
        return;
      case 'answer':
        this.calls.answer(effect.answer);
        return;
      case 'refused':
        on.refused?.(effect.reason);
    }
  }

  private connect(): void {
    const socket = this.options.dial(this.options.url, {
      opened: () => this.socket === socket && this.take({ kind: 'opened' }),
      received: (text) => {
        const frame = readFrame(text);
        if (frame && this.socket === socket) this.take({ kind: 'frame', frame });
      },
      closed: (code) => {
        if (this.socket !== socket) return;
        this.socket = undefined;
        this.take({ kind: 'closed', code });
        this.onStopped?.();
      },
    });
    this.socket = socket;
  }

  private beatEvery(ms: number): void {
    this.callOffBeat = this.after(ms, () => {
      this.beatEvery(ms);
      this.take({ kind: 'beat' });
    });
  }

  private send(frame: ClientFrame): void {
    const text = JSON.stringify(frame);
    if (text.length > MAX_FRAME_BYTES) throw new RangeError(`a relay takes frames of ${MAX_FRAME_BYTES} bytes at most`);
    this.socket?.send(text);
  }
}

const describe = (phase: Phase): string => {
  switch (phase.kind) {
    case 'refused':
      return `it refuses this persona: ${phase.reason}`;
    case 'stopped':
      return 'this client was stopped';
    default:
      return 'a connection is being made';
  }
};
