import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ClientFrame } from './wire/frames.js';

/** A relay that does what a test tells it to, and writes down what it hears. */
export class ScriptedRelay {
  readonly heard: ClientFrame[] = [];
  readonly url: string;
  /** Whether heartbeats are answered. */
  isAnswering = true;
  /** Called for every frame but heartbeats. */
  onFrame: (frame: ClientFrame) => void = () => {};
  private socket: WebSocket | undefined;
  connections = 0;

  private constructor(private readonly server: WebSocketServer) {
    this.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('connection', (socket) => {
      this.connections += 1;
      this.socket = socket;
      this.say({ op: 'hello', d: { protocolVersion: 4, heartbeatIntervalMs: 30 } });
      socket.on('message', (data) => this.hear(JSON.parse(data.toString())));
    });
  }

  static async start(): Promise<ScriptedRelay> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await new Promise((resolve) => server.once('listening', resolve));
    return new ScriptedRelay(server);
  }

  say(frame: object): void {
    this.socket?.send(JSON.stringify(frame));
  }

  /** Lets a persona in. */
  welcome(seq = 0, sessionId = 's1'): void {
    const persona = { id: 'p1', displayName: 'Ada', avatarUrl: '' };
    this.say({ op: 'ready', d: { sessionId, persona, guilds: [], channels: [], seq } });
  }

  sayText(text: string): void {
    this.socket?.send(text);
  }

  hangUp(code: number): void {
    this.socket?.close(code);
  }

  cut(): void {
    this.socket?.terminate();
  }

  get isConnected(): boolean {
    return this.socket?.readyState === 1;
  }

  async close(): Promise<void> {
    for (const client of this.server.clients) client.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private hear(frame: ClientFrame): void {
    if (frame.op === 'heartbeat') {
      if (this.isAnswering) this.say({ op: 'heartbeat_ack' });
      return;
    }
    this.heard.push(frame);
    this.onFrame(frame);
  }
}
