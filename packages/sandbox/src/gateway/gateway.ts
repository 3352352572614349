import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Dispatch, World } from '../world/world.js';
import { GatewayConnection, type Sessions } from './connection.js';
import { GatewaySession } from './session.js';
import { seenBy } from './visibility.js';

/** Discord's gateway v10 over `world`: sessions, their sockets, and what tests may do to both. */
export class Gateway {
  /** Largest interval a client may leave between heartbeats, ms. */
  heartbeatIntervalMs = 41_250;
  answersHeartbeats = true;
  /** Whether a RESUME is honoured. */
  resumable = true;
  /** How many IDENTIFYs were accepted so far. */
  identifies = 0;
  private readonly server = new WebSocketServer({ noServer: true });
  private readonly connections = new Set<GatewayConnection>();
  private readonly sessions = new Map<string, GatewaySession>();

  constructor(private readonly world: World) {
    world.on('dispatch', (dispatch) => this.fanOut(dispatch));
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { searchParams } = new URL(request.url ?? '/', 'ws://localhost');
    this.server.handleUpgrade(request, socket, head, (webSocket) => {
      const compress = searchParams.get('compress') === 'zlib-stream';
      const connection = new GatewayConnection(webSocket, this.store(), compress);
      this.connections.add(connection);
      webSocket.once('close', () => this.connections.delete(connection));
    });
  }

  /** Sockets open right now. */
  get connected(): number {
    return this.connections.size;
  }

  /** Cuts every socket without a close frame. */
  cutSockets(): void {
    for (const connection of this.connections) connection.cut();
  }

  closeSockets(code: number): void {
    for (const connection of this.connections) connection.close(code);
  }

  /** Op 7: every client is to come back and resume. */
  askToReconnect(): void {
    for (const connection of this.connections) connection.askToReconnect();
  }

  /** Op 9. Without `resumable` the session is gone and clients must identify anew. */
  invalidateSessions(resumable: boolean): void {
    for (const connection of this.connections) connection.invalidate(resumable);
    if (!resumable) this.sessions.clear();
  }

  /** Sessions end while nobody is connected, as after hours offline. */
  forgetSessions(): void {
    this.sessions.clear();
  }

  /** The next `n` dispatches of every session are numbered and lost, even to a RESUME; 0 loses no more. */
  dropNextDispatches(n: number): void {
    for (const session of this.sessions.values()) session.holes = n;
  }

  /** Sends the last `n` dispatches of every connected session once more, with their old numbers. */
  replayLast(n: number): void {
    for (const connection of this.connections)
      for (const frame of connection.session?.buffer.slice(-n) ?? []) connection.repeat(frame);
  }

  close(): void {
    this.cutSockets();
    this.server.close();
  }

  private fanOut(dispatch: Dispatch): void {
    for (const session of this.sessions.values()) {
      const seen = seenBy(this.world, session.viewer, dispatch);
      if (seen) session.dispatch(dispatch.t, structuredClone(seen));
    }
  }

  private store(): Sessions {
    return {
      world: this.world,
      heartbeatIntervalMs: () => this.heartbeatIntervalMs,
      answerHeartbeats: () => this.answersHeartbeats,
      resumable: () => this.resumable,
      create: (viewer) => {
        const session = new GatewaySession(randomBytes(16).toString('hex'), viewer);
        this.sessions.set(session.id, session);
        return session;
      },
      find: (id) => this.sessions.get(id),
      identified: () => {
        this.identifies += 1;
      },
    };
  }
}
