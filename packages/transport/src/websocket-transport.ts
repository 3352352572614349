import { rootCertificates } from 'node:tls';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { WebSocket } from 'ws';
import { binaryFrame, type DecodedFrame, decodeText } from './decode-frame.js';
import { DEFAULT_MAX_FRAME_BYTES } from './line-transport.js';
import type { Pausable } from './pausable.js';
import type { TextTransport } from './text-transport.js';

/**
 * One JSON-RPC message a text frame. A frame that is no JSON-RPC message is answered with one error and the connection
 * goes on; a frame over the limit closes it with 1009, as WebSocket has it.
 */
export class WebSocketTransport implements Transport, Pausable, TextTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;

  constructor(private readonly socket: WebSocket) {
    // What arrives before `start` waits in the socket.
    socket.pause();
  }

  async start(): Promise<void> {
    this.socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.receive(isBinary ? binaryFrame() : decodeText(data.toString('utf8')));
    });
    this.socket.on('error', (error) => this.onerror?.(error));
    this.socket.once('close', () => this.onclose?.());
    this.socket.resume();
    if (this.socket.readyState === WebSocket.CLOSED) this.onclose?.();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.sendText(JSON.stringify(message));
  }

  sendText(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.send(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Reads nothing more until `resume`. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  async close(): Promise<void> {
    this.socket.close(1000);
  }

  private receive(frame: DecodedFrame): void {
    if (frame.kind === 'message') {
      this.onmessage?.(frame.message);
      return;
    }
    this.onerror?.(new Error(frame.error.message));
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id: frame.id, error: frame.error }));
  }
}

export interface DialOptions {
  /** Sent as `Authorization: Bearer <token>`. */
  readonly token?: string;
  /** PEM: who may have signed the server's certificate, beside those that everybody trusts. */
  readonly ca?: string | Buffer;
  /** Largest accepted frame, bytes. Default 10 MiB. */
  readonly maxFrameBytes?: number;
  /** How long the connection may take to open, ms. Default 10,000. */
  readonly openTimeoutMs?: number;
}

/** Dials `url` (`ws:` or `wss:`) and resolves once it is open. @throws the socket's error when it does not open */
export const dialWebSocket = (url: string, options: DialOptions = {}): Promise<WebSocketTransport> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      maxPayload: options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES,
      handshakeTimeout: options.openTimeoutMs ?? 10_000,
      ...(options.ca === undefined ? {} : { ca: [...rootCertificates, String(options.ca)] }),
      ...(options.token === undefined ? {} : { headers: { authorization: `Bearer ${options.token}` } }),
    });
    socket.once('error', reject);
    socket.once('open', () => {
      socket.off('error', reject);
      resolve(new WebSocketTransport(socket));
    });
  });
