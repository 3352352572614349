import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Capability } from '@mcpl-bridges/portal-client';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Bot, Channel, Message } from '../world/entities.js';
import type { Dispatch, World } from '../world/world.js';
import { RelayRefusal } from './call.js';
import type { RelayPersona } from './personas.js';
import { serveCall, speak } from './relay-calls.js';
import { relayDispatch } from './relay-events.js';
import { containerOf, portalChannel } from './relay-messages.js';
import { RelayState, type RelayVariant } from './relay-state.js';
import { BUFFER, type RelaySession } from './sessions.js';

/** A call that a fault is for: the next one, or the next of a method behind `skip` others of it. */
interface Planned {
  readonly fault: CallFault;
  readonly method: string | undefined;
  skip: number;
}

/** What becomes of a call: it is never answered; it acts, and its answer is lost with the connection; it fails. */
export type CallFault = 'stalls' | 'loses-answer' | { readonly code: string | number; readonly message: string };

type Json = Record<string, unknown>;

/**
 * A local Portal relay over a local Discord, as the public relay does it: protocol 3, or 4 (`N`). People act on Discord; personas come
 * in by WebSocket.
 */
export class PortalRelay {
  readonly state: RelayState;
  heartbeatIntervalMs = 30_000;
  answersHeartbeats = true;
  /** Whether anybody may connect. */
  accepts = true;
  private readonly faults: Planned[] = [];
  private readonly sockets = new WebSocketServer({ noServer: true });
  private readonly onDispatch = (dispatch: Dispatch): void => {
    const isForBot = dispatch.to === undefined || dispatch.to === this.state.botId;
    if (isForBot && this.state.hears(dispatch.t, dispatch.d.id)) relayDispatch(this.state, dispatch);
  };

  private constructor(
    private readonly world: World,
    bot: Pick<Bot, 'user'>,
    private readonly server: Server,
    variant: RelayVariant,
  ) {
    this.state = new RelayState(world, bot.user.id, variant);
    world.on('dispatch', this.onDispatch);
    server.on('upgrade', (request: IncomingMessage, socket, head) => {
      if (this.accepts) this.sockets.handleUpgrade(request, socket, head, (webSocket) => this.greet(webSocket));
      else socket.destroy();
    });
  }

  /** On a free port of the loopback interface. */
  static async start(world: World, bot: Pick<Bot, 'user'>, variant: RelayVariant = 'M'): Promise<PortalRelay> {
    const server = createServer((_request, response) => response.writeHead(426).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PortalRelay(world, bot, server, variant);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Cuts every socket without a word, as a network does. */
  drop(): void {
    for (const socket of this.sockets.clients) socket.terminate();
  }

  /** As after a restart: no session is known, and numbers begin anew; who has what token, and what was read, is kept. */
  restart(): void {
    this.state.sessions.forget();
    this.drop();
  }

  /** More happens to a persona than the relay keeps for a session: none of its sessions can be resumed. */
  overflow({ id, name }: RelayPersona): void {
    const persona = { id, displayName: name, avatarUrl: '' };
    for (let n = 0; n <= BUFFER; n++) this.state.sessions.tell(id, { type: 'persona_update', persona });
  }

  failNextCall(fault: CallFault, method?: string, skip = 0): void {
    this.faults.push({ fault, method, skip });
  }

  /** Changes what a persona may do in a channel, and says so. */
  grant(persona: RelayPersona, channelId: string, capabilities: readonly Capability[]): void {
    persona.byChannel.set(channelId, capabilities);
    const { channelId: parent } = containerOf(this.world, channelId);
    const effective = this.state.capabilities(persona, channelId);
    if (this.state.sessions.known.includes(persona.id))
      this.state.sessions.tell(persona.id, { type: 'capabilities_update', channelId: parent, capabilities: effective });
  }

  /** A persona posts, by no connection of this relay's. */
  say(persona: RelayPersona, channel: Channel, content: string): Message {
    return speak(this.state, persona, channel, { content });
  }

  /** How people mention a persona in a guild. */
  mentionOf(persona: RelayPersona, channel: Channel): string {
    const guild = this.world.guilds.get(channel.guild_id ?? '');
    return guild ? `<@&${this.state.roleOf(persona, guild)}>` : '';
  }

  /** Takes a persona's credentials away. */
  revoke(persona: RelayPersona): void {
    this.state.personas.all.delete(persona.id);
    for (const session of this.state.sessions.sessionsOf(persona.id)) session.close(4001, 'persona revoked');
  }

  /** Whether a persona is here. */
  isPresent(persona: RelayPersona): boolean {
    return this.state.sessions.present.has(persona.id);
  }

  async close(): Promise<void> {
    this.world.off('dispatch', this.onDispatch);
    this.drop();
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private greet(socket: WebSocket): void {
    const visit = new Visit(this, this.state, socket);
    visit.send({
      op: 'hello',
      d: { protocolVersion: this.state.variant === 'M' ? 3 : 4, heartbeatIntervalMs: this.heartbeatIntervalMs },
    });
    socket.on('message', (data, isBinary) => {
      if (!isBinary) visit.hear(data.toString());
    });
    socket.on('close', () => visit.end());
    socket.on('error', () => {});
  }

  takeFault(method: string): CallFault | undefined {
    const planned = this.faults.find((one) => one.method === undefined || one.method === method);
    if (!planned || planned.skip-- > 0) return undefined;
    this.faults.splice(this.faults.indexOf(planned), 1);
    return planned.fault;
  }
}

/** One socket, from hello to its end. */
class Visit {
  private session: RelaySession | undefined;
  private silence: NodeJS.Timeout | undefined;

  constructor(
    private readonly relay: PortalRelay,
    private readonly state: RelayState,
    private readonly socket: WebSocket,
  ) {}

  send(frame: object): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(frame));
  }

  /** Whatever is no frame is left without an answer. */
  hear(text: string): void {
    let frame: { op?: unknown; d?: Json };
    try {
      frame = JSON.parse(text);
    } catch {
      return;
    }
    if (typeof frame?.d !== 'object' || frame.d === null) return;
    this.watch();
    switch (frame.op) {
      case 'identify':
        this.identify(frame.d);
        return;
      case 'register':
        this.register(frame.d);
        return;
      case 'resume':
        this.resume(frame.d);
        return;
      case 'heartbeat':
        if (this.relay.answersHeartbeats) this.send({ op: 'heartbeat_ack' });
        return;
      case 'rpc':
        this.call(frame.d);
    }
  }

  end(): void {
    clearTimeout(this.silence);
    if (this.session) this.state.sessions.leave(this.session);
  }

  /** A session that is silent for two intervals is over. */
  private watch(): void {
    clearTimeout(this.silence);
    if (!this.session) return;
    this.silence = setTimeout(() => this.socket.close(4000, 'heartbeat timeout'), 2 * this.relay.heartbeatIntervalMs);
    this.silence.unref();
  }

  private identify({ personaId, token, subscriptions }: Json): void {
    if (this.session) return;
    const persona = this.state.personas.authenticate(String(personaId), String(token));
    if (persona) this.enter(persona, subscriptions);
    else this.refuse('auth failed', 4001);
  }

  private register({ invite, desiredName, subscriptions }: Json): void {
    if (this.session) return;
    const persona = this.state.personas.enrol(String(invite), String(desiredName));
    if (typeof persona === 'string') {
      this.refuse(persona, 4003);
      return;
    }
    this.send({ op: 'registered', d: { personaId: persona.id, token: persona.token, persona: this.view(persona) } });
    this.enter(persona, subscriptions);
  }

  private resume({ sessionId, seq }: Json): void {
    if (this.session) return;
    const resumption = this.state.sessions.resume(String(sessionId), Number(seq), this.ends());
    if (resumption.kind === 'refused') {
      this.send({ op: 'invalid_session', d: { resumable: false, reason: resumption.reason } });
      return;
    }
    this.session = resumption.session;
    for (const { seq: missed, event } of resumption.missed) this.send({ op: 'dispatch', seq: missed, d: event });
    this.send({ op: 'resumed', d: { replayedEvents: resumption.missed.length } });
  }

  private enter(persona: RelayPersona, subscriptions: unknown): void {
    const wanted = Array.isArray(subscriptions) ? subscriptions.map(String) : [];
    this.session = this.state.sessions.enter(persona.id, wanted, this.ends());
    const channels = this.state
      .directory(persona)
      .map((one) => portalChannel(one, this.state.capabilities(persona, one.id)));
    const guilds = this.state.guilds().map(({ id, properties, members }) => ({
      id,
      name: properties.name,
      memberCount: members.size,
    }));
    const seq = this.state.sessions.seqOf(persona.id);
    this.send({ op: 'ready', d: { sessionId: this.session.id, persona: this.view(persona), guilds, channels, seq } });
  }

  private view(persona: RelayPersona): Json {
    const roles = this.state.guilds().map((guild) => [guild.id, this.state.roleOf(persona, guild)] as const);
    return { id: persona.id, displayName: persona.name, avatarUrl: '', roleByGuild: Object.fromEntries(roles) };
  }

  private refuse(reason: string, code: number): void {
    this.send({ op: 'invalid_session', d: { resumable: false, reason } });
    this.socket.close(code, reason);
  }

  private call({ id, method, params }: Json): void {
    if (typeof id !== 'string' || typeof method !== 'string' || typeof params !== 'object' || params === null) return;
    const answer = (d: Json): void => this.send({ op: 'rpc_result', d: { id, ...d } });
    const fault = this.session && this.relay.takeFault(method);
    if (fault === 'stalls') return;
    try {
      if (!this.session) throw new RelayRefusal('FORBIDDEN', 'not identified');
      if (typeof fault === 'object') throw new RelayRefusal(fault.code, fault.message);
      const result = serveCall(this.state, this.session, { method, params });
      if (fault === 'loses-answer') this.socket.terminate();
      else answer({ ok: true, result });
    } catch (error) {
      const code = error instanceof RelayRefusal ? error.code : 'INTERNAL';
      answer({ ok: false, error: { code, message: (error as Error).message } });
    }
  }

  private ends(): Pick<RelaySession, 'send' | 'close'> {
    return {
      send: (frame) => this.send(frame),
      close: (code, reason) => this.socket.close(code, reason),
    };
  }
}
