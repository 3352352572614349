import type { RpcErrorObject } from '@mcpl-bridges/protocol';
import { type Listener, listenWebSocket, McplWire, RequestFailure } from '@mcpl-bridges/transport';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';

const CAPABILITIES = {
  version: '0.5',
  pushEvents: true,
  inferenceRequest: true,
  channels: { register: true, lifecycle: true, publish: true, incoming: true },
  featureSets: {
    doc: { description: 'documents', uses: ['pushEvents'] },
    other: { description: 'others', uses: ['pushEvents'] },
  },
};

/** How the server answers a render. */
export interface RenderPlan {
  readonly mode: 'immediate' | 'empty' | 'error' | 'held' | 'inference-request' | 'notice-summary';
  readonly text?: string;
  readonly byKey?: Readonly<Record<string, RenderPlan>>;
}

export interface Rendered {
  readonly server: string;
  readonly params: Record<string, unknown>;
  inferenceResponse?: { result?: unknown; error?: RpcErrorObject };
}

export interface Reply {
  readonly result?: unknown;
  readonly error?: RpcErrorObject;
  /** There is no answer. */
  readonly lost?: 'timeout' | 'disconnected';
}

const content = (text: string) => ({ content: text === '' ? [] : [{ type: 'text', text }] });

/** A producer that does what a scenario says, on a WebSocket of its own. */
export class SyntheticServer {
  plan: RenderPlan = { mode: 'immediate', text: 'RENDERED' };
  private wire: McplWire | undefined;
  private readonly held: ((result: unknown) => void)[] = [];
  private readonly channels: string[] = [];
  private ready: (() => void) | undefined;

  private constructor(
    readonly id: string,
    private readonly listener: Listener,
    private readonly renders: Rendered[],
  ) {}

  static async start(id: string, renders: Rendered[]): Promise<SyntheticServer> {
    let server: SyntheticServer | undefined;
    const listener = await listenWebSocket({
      host: '127.0.0.1',
      port: 0,
      onConnection: (transport) => void server?.accept(new McplWire(transport)),
    });
    server = new SyntheticServer(id, listener, renders);
    return server;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.listener.port}`;
  }

  /** Resolves when a host that dials now has given its grant and knows our channels again. */
  whenReady(): Promise<void> {
    return new Promise((resolve) => {
      this.ready = resolve;
    });
  }

  async send(method: string, params: Record<string, unknown>): Promise<Reply> {
    if (!this.wire) throw new Error(`server ${this.id} has no host`);
    try {
      return { result: await this.wire.request(method, params, { timeoutMs: 10_000 }) };
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      const { cause } = error;
      return cause.kind === 'refused' ? { error: cause.error } : { lost: cause.kind };
    }
  }

  register(channelId: string): Promise<Reply> {
    if (!this.channels.includes(channelId)) this.channels.push(channelId);
    return this.send('channels/register', { channels: [descriptor(channelId)] });
  }

  release(text: string): void {
    this.held.shift()?.(content(text));
  }

  async disconnect(): Promise<void> {
    await this.wire?.close();
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  private async accept(wire: McplWire): Promise<void> {
    wire.handle('featureSets/update', () => {
      setImmediate(() => void this.established(wire));
      return { accepted: true };
    });
    wire.handle('push/render', (params) => this.render(wire, params));
    wire.handle('channels/open', ({ channelId }) => ({ channel: descriptor(String(channelId)) }));
    wire.handle('channels/close', () => ({ closed: true }));
    const capabilities = { tools: {}, experimental: { mcpl: CAPABILITIES } };
    await new Server({ name: this.id, version: '1' }, { capabilities }).connect(wire);
  }

  /** As every server does, it registers its channels on each connection. */
  private async established(wire: McplWire): Promise<void> {
    const isNew = this.wire !== wire;
    this.wire = wire;
    if (isNew) for (const channelId of this.channels) await this.register(channelId);
    this.ready?.();
  }

  private async render(wire: McplWire, params: Record<string, unknown>): Promise<unknown> {
    const rendered: Rendered = { server: this.id, params };
    this.renders.push(rendered);
    const plan = this.plan.byKey?.[String(params.key)] ?? this.plan;
    const { text = '' } = plan;
    switch (plan.mode) {
      case 'immediate':
        return content(text);
      case 'empty':
        return content('');
      case 'error':
        throw new Error('the render failed, as it was told to');
      case 'held':
        return new Promise((resolve) => this.held.push(resolve));
      case 'notice-summary':
        return content(`${text} NOTICES=${(params.notices as unknown[]).length} DROPPED=${String(params.dropped)}`);
      case 'inference-request':
        rendered.inferenceResponse = await answerOf(
          wire.request('inference/request', { featureSet: 'doc', messages: [] }, { timeoutMs: 5000 }),
        );
        return content(text);
    }
  }
}

const descriptor = (id: string) => ({ id, type: 'chat', label: id, direction: 'bidirectional' });

const answerOf = async (request: Promise<unknown>): Promise<{ result?: unknown; error?: RpcErrorObject }> => {
  try {
    return { result: await request };
  } catch (error) {
    if (error instanceof RequestFailure && error.cause.kind === 'refused') return { error: error.cause.error };
    throw error;
  }
};
