import { ErrorCode, isMcplMethod, McplError, methodNotFound, type RpcErrorObject } from '@mcpl-bridges/protocol';
import { TransientMap } from '@mcpl-bridges/transient-map';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { Deadlines } from './deadlines.js';
import { plainError, plainMessage } from './plain-message.js';
import { type FailureCause, RequestFailure } from './request-failure.js';
import { textTransport } from './text-transport.js';

type Json = Record<string, unknown>;

/** How a handler was called: as a Request, whose return value is the answer, or as a Notification. */
export interface CallContext {
  readonly isRequest: boolean;
}

export type McplHandler = (params: Json, context: CallContext) => unknown;

/** Where the two `initialize` messages may be read and changed on their way. */
export interface InitializeHooks {
  /** Runs on the request, incoming or outgoing; returns the params that go on. */
  readonly request?: (params: Json) => Json;
  /** Runs on the result, incoming or outgoing; returns the result that goes on. */
  readonly result?: (result: Json) => Json;
}

export interface RequestOptions {
  /** How long to wait for the answer, ms. */
  readonly timeoutMs: number;
  /**
   * Called with the result before anything that the peer sent after it is looked at, and before the promise resolves.
   * With `late`, the time-out has passed and the promise has rejected.
   */
  readonly onResult?: (result: Json, late: boolean) => void;
}

/** How a request came out; a late result follows a time-out. */
export type Answer =
  | { readonly kind: 'result'; readonly result: Json; readonly late: boolean }
  | { readonly kind: 'failed'; readonly cause: FailureCause };

interface Pending {
  readonly answered: (answer: Answer) => void;
  timedOut: boolean;
}

/**
 * A transport for the MCP SDK that takes MCPL's own methods out of the stream before the SDK sees them. They travel on
 * the same connection with ids of their own (`mcpl:<n>`), own time-outs, late answers and unaltered error objects;
 * everything else is the SDK's.
 */
export class McplWire implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  /** Runs once when the connection is gone, after pending requests have settled. */
  onDisconnect?: () => void;

  private readonly handlers = new Map<string, McplHandler>();
  private readonly pending = new TransientMap<string, Pending>();
  private readonly deadlines = new Deadlines(
    (id) => this.pending.get(id)?.timedOut === false,
    (id, afterMs) => this.expire(id, afterMs),
  );
  private initializeId: string | number | undefined;
  private nextId = 1;
  private closed = false;

  constructor(
    private readonly inner: Transport,
    private readonly initialize: InitializeHooks = {},
  ) {}

  async start(): Promise<void> {
    this.inner.onmessage = (message: JSONRPCMessage) => this.receive(message);
    this.inner.onerror = (error) => this.onerror?.(error);
    this.inner.onclose = () => this.disconnect();
    await this.inner.start();
  }

  /** The SDK's way out. */
  send(message: JSONRPCMessage): Promise<void> {
    return this.inner.send(this.shape(message));
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  handle(method: string, handler: McplHandler): void {
    this.handlers.set(method, handler);
  }

  /** @throws RequestFailure `refused`, `timeout` or `disconnected` */
  request(method: string, params: Json, { timeoutMs, onResult }: RequestOptions): Promise<Json> {
    return new Promise((resolve, reject) => {
      this.call(method, JSON.stringify(params), timeoutMs, (answer) => {
        if (answer.kind === 'failed') return reject(new RequestFailure(method, answer.cause));
        onResult?.(answer.result, answer.late);
        resolve(answer.result);
      });
    });
  }

  /**
   * A request without a promise, whose params are JSON already.
   * @param answered called once with what came of it, before anything that the peer sent after it is looked at; and once
   * more with a result that comes after the time-out
   */
  call(method: string, params: string, timeoutMs: number, answered: (answer: Answer) => void): void {
    if (this.closed) {
      answered({ kind: 'failed', cause: { kind: 'disconnected' } });
      return;
    }
    const id = `mcpl:${this.nextId++}`;
    this.pending.set(id, { answered, timedOut: false });
    this.deadlines.add(id, timeoutMs);
    this.sendText(`{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}`)?.catch(() =>
      this.settleDisconnected(id),
    );
  }

  notify(method: string, params: Json): void {
    if (this.closed) return;
    this.inner.send({ jsonrpc: '2.0', method, params }).catch((error: Error) => this.onerror?.(error));
  }

  private receive(message: JSONRPCMessage): void {
    if ('method' in message) {
      if (isMcplMethod(message.method)) {
        void this.serve(message.method, (message.params ?? {}) as Json, 'id' in message ? message.id : undefined);
        return;
      }
      if (message.method === 'initialize' && 'id' in message) {
        this.onmessage?.(plainMessage(this.shapeInitialize(message)));
        return;
      }
    } else if (typeof message.id === 'string' && this.settle(message.id, message)) return;
    this.onmessage?.(plainMessage(this.shapeAnswer(message)));
  }

  private shape(message: JSONRPCMessage): JSONRPCMessage {
    return 'method' in message && message.method === 'initialize' && 'id' in message
      ? this.shapeInitialize(message)
      : this.shapeAnswer(message);
  }

  private shapeInitialize(message: JSONRPCRequest): JSONRPCMessage {
    this.initializeId = message.id;
    if (!this.initialize.request) return message;
    return { ...message, params: this.initialize.request((message.params ?? {}) as Json) } as JSONRPCMessage;
  }

  private shapeAnswer(message: JSONRPCMessage): JSONRPCMessage {
    if ('error' in message) return { ...message, error: plainError(message.error) };
    if (!('result' in message) || message.id !== this.initializeId || !this.initialize.result) return message;
    this.initializeId = undefined;
    return { ...message, result: this.initialize.result(message.result as Json) } as JSONRPCMessage;
  }

  private async serve(method: string, params: Json, id: string | number | undefined): Promise<void> {
    const answer = await this.answer(method, params, id !== undefined);
    if (id === undefined || this.closed) {
      if (answer.error) this.onerror?.(new McplError(answer.error.code, answer.error.message, answer.error.data));
      return;
    }
    const message = { jsonrpc: '2.0', id, ...answer } as unknown as JSONRPCMessage;
    await this.inner.send(message).catch((error: Error) => this.onerror?.(error));
  }

  private async answer(
    method: string,
    params: Json,
    isRequest: boolean,
  ): Promise<{ result?: unknown; error?: RpcErrorObject }> {
    const handler = this.handlers.get(method);
    if (!handler) return { error: methodNotFound(method).toRpc() };
    try {
      const result = handler(params, { isRequest });
      return { result: (result instanceof Promise ? await result : result) ?? {} };
    } catch (error) {
      if (error instanceof McplError) return { error: error.toRpc() };
      this.onerror?.(error as Error);
      return { error: { code: ErrorCode.InternalError, message: `${method} failed: ${(error as Error).message}` } };
    }
  }

  private sendText(text: string): Promise<void> | undefined {
    const textual = textTransport(this.inner);
    return textual ? textual.sendText(text) : this.inner.send(JSON.parse(text) as JSONRPCMessage);
  }

  private settle(id: string, message: JSONRPCMessage): boolean {
    const pending = this.pending.get(id);
    if (!pending) return false;
    this.pending.delete(id);
    const { answered, timedOut } = pending;
    if ('result' in message) answered({ kind: 'result', result: message.result as Json, late: timedOut });
    else if ('error' in message && !timedOut)
      answered({ kind: 'failed', cause: { kind: 'refused', error: message.error as RpcErrorObject } });
    return true;
  }

  /** A time-out is no refusal: the entry stays, so that a late answer still finds it. */
  private expire(id: string, afterMs: number): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    pending.timedOut = true;
    pending.answered({ kind: 'failed', cause: { kind: 'timeout', afterMs } });
  }

  private settleDisconnected(id: string): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    this.pending.delete(id);
    if (!pending.timedOut) pending.answered({ kind: 'failed', cause: { kind: 'disconnected' } });
  }

  private disconnect(): void {
    if (this.closed) return;
    this.closed = true;
    this.deadlines.clear();
    for (const id of this.pending.keys()) this.settleDisconnected(id);
    this.onDisconnect?.();
    this.onclose?.();
  }
}
