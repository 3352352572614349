import type { WebSocket } from 'ws';
import type { Json } from '../world/entities.js';
import type { World } from '../world/world.js';
import { type Encoder, plainEncoder, zlibStreamEncoder } from './encoder.js';
import { privilegedIntents, validIntents } from './intents.js';
import { memberChunks } from './member-chunks.js';
import { guildCreates, guildsOf, readyPayload } from './ready.js';
import type { GatewaySession, Numbered } from './session.js';

/** Close codes the gateway uses (Discord: Gateway Close Event Codes). */
export const CloseCode = {
  UnknownOpcode: 4001,
  DecodeError: 4002,
  NotAuthenticated: 4003,
  AuthenticationFailed: 4004,
  AlreadyAuthenticated: 4005,
  InvalidSeq: 4007,
  SessionTimedOut: 4009,
  InvalidShard: 4010,
  ShardingRequired: 4011,
  InvalidIntents: 4013,
  DisallowedIntents: 4014,
} as const;

/** Most guilds that one connection may serve. */
const MAX_GUILDS = 2500;

const Op = {
  Dispatch: 0,
  Heartbeat: 1,
  Identify: 2,
  Resume: 6,
  Reconnect: 7,
  RequestMembers: 8,
  InvalidSession: 9,
  Hello: 10,
  Ack: 11,
};
/** Opcodes a client may send that change nothing here: presence, voice, soundboard. */
const IGNORED = new Set([3, 4, 31, 43]);

export interface Sessions {
  readonly world: World;
  readonly heartbeatIntervalMs: () => number;
  readonly answerHeartbeats: () => boolean;
  readonly resumable: () => boolean;
  create(viewer: GatewaySession['viewer']): GatewaySession;
  find(id: string): GatewaySession | undefined;
  identified(): void;
}

/** One socket of the gateway, from HELLO to its close. */
export class GatewayConnection {
  session: GatewaySession | undefined;
  private readonly encode: Encoder;

  constructor(
    private readonly socket: WebSocket,
    private readonly sessions: Sessions,
    compress: boolean,
  ) {
    this.encode = compress ? zlibStreamEncoder(socket) : plainEncoder(socket);
    socket.on('message', (data: Buffer) => this.receive(data.toString('utf8')));
    socket.once('close', () => this.detach());
    this.encode({
      op: Op.Hello,
      d: { heartbeat_interval: sessions.heartbeatIntervalMs(), _trace: ['["sandbox"]'] },
      s: null,
      t: null,
    });
  }

  close(code: number, reason = ''): void {
    this.detach();
    this.socket.close(code, reason);
  }

  /** Cuts the socket without a close frame, as a network does. */
  cut(): void {
    this.detach();
    this.socket.terminate();
  }

  askToReconnect(): void {
    this.encode({ op: Op.Reconnect, d: null, s: null, t: null });
  }

  invalidate(resumable: boolean): void {
    this.encode({ op: Op.InvalidSession, d: resumable, s: null, t: null });
    if (!resumable) this.detach();
  }

  /** Sends a frame once more, as a gateway that replays what was seen already. */
  repeat(frame: Numbered): void {
    this.encode({ op: Op.Dispatch, ...frame });
  }

  private receive(text: string): void {
    let payload: { op?: number; d?: Json };
    try {
      payload = JSON.parse(text);
    } catch {
      this.close(CloseCode.DecodeError, 'Error while decoding payload.');
      return;
    }
    switch (payload.op) {
      case Op.Heartbeat:
        if (this.sessions.answerHeartbeats()) this.encode({ op: Op.Ack, d: null, s: null, t: null });
        return;
      case Op.Identify:
        this.identify(payload.d ?? {});
        return;
      case Op.Resume:
        this.resume(payload.d ?? {});
        return;
      case Op.RequestMembers:
        if (!this.session) this.close(CloseCode.NotAuthenticated, 'Not authenticated.');
        else
          for (const chunk of memberChunks(this.sessions.world, this.session.viewer, payload.d ?? {}))
            this.session.dispatch('GUILD_MEMBERS_CHUNK', chunk);
        return;
      default:
        if (!this.session) this.close(CloseCode.NotAuthenticated, 'Not authenticated.');
        else if (!IGNORED.has(payload.op ?? -1)) this.close(CloseCode.UnknownOpcode, 'Unknown opcode.');
    }
  }

  private identify({ token, intents, shard = [0, 1] }: Json): void {
    if (this.session) {
      this.close(CloseCode.AlreadyAuthenticated, 'Already authenticated.');
      return;
    }
    const bot = this.sessions.world.bots.get(String(token).replace(/^Bot /, ''));
    if (!bot) {
      this.close(CloseCode.AuthenticationFailed, 'Authentication failed.');
      return;
    }
    const [id, count] = shard as [number, number];
    if (!(Number.isInteger(id) && Number.isInteger(count) && id >= 0 && id < count)) {
      this.close(CloseCode.InvalidShard, 'Invalid shard.');
      return;
    }
    if (!validIntents(intents)) {
      this.close(CloseCode.InvalidIntents, 'Invalid intent(s).');
      return;
    }
    if (privilegedIntents(intents).some((name) => !bot.privileged[name])) {
      this.close(CloseCode.DisallowedIntents, 'Disallowed intent(s).');
      return;
    }
    if (guildsOf(this.sessions.world, bot, [id, count]).length > MAX_GUILDS) {
      this.close(CloseCode.ShardingRequired, 'Sharding required.');
      return;
    }
    this.sessions.identified();
    const session = this.sessions.create({ bot, intents, shard: [id, count] });
    this.attach(session);
    session.dispatch('READY', readyPayload(this.sessions.world, session));
    for (const guild of guildCreates(this.sessions.world, session)) session.dispatch('GUILD_CREATE', guild);
  }

  private resume({ token, session_id, seq }: Json): void {
    const session = this.sessions.find(String(session_id));
    const missed = session?.since(Number(seq));
    const own = session?.viewer.bot.token === String(token).replace(/^Bot /, '');
    if (!session || !missed || !own || !this.sessions.resumable()) {
      this.invalidate(false);
      return;
    }
    this.attach(session);
    for (const frame of missed) this.encode({ op: Op.Dispatch, ...frame });
    session.dispatch('RESUMED', { _trace: ['["sandbox"]'] });
  }

  private attach(session: GatewaySession): void {
    this.session = session;
    session.send = (frame) => this.encode({ op: Op.Dispatch, ...frame });
  }

  private detach(): void {
    if (this.session) this.session.send = undefined;
    this.session = undefined;
  }
}
