import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { binaryFrame, type DecodedFrame, decodeText, oversizedFrame, type RefusedFrame } from './decode-frame.js';
import { FrameSplitter, type Line } from './frame-splitter.js';
import type { Pausable } from './pausable.js';
import type { TextTransport } from './text-transport.js';

/** Largest accepted frame, bytes; what other MCP implementations stop at, too. */
export const DEFAULT_MAX_FRAME_BYTES = 10 * 1024 * 1024;

/** Characters that are not held back until the turn of the event loop ends: the other side may begin with them. */
const WRITTEN_AT_ONCE = 32_768;

const SENT = Promise.resolve();

export interface LineTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Largest accepted line in bytes. Default 10 MiB. Longer ones are refused and skipped; the connection stays. */
  readonly maxFrameBytes?: number;
  /** Whether a frame that is no JSON-RPC message ends the connection. Default: it is answered with an error. */
  readonly endsWhenRefused?: boolean;
  /** Called once at the end, for whatever the streams belong to. */
  readonly dispose?: () => void;
}

/**
 * Newline-delimited JSON-RPC over a pair of streams. What is sent within one turn of the event loop leaves in one
 * write, or in several when it is much; a full pipe makes `send` wait. The end of the input closes the transport. A
 * frame that is no JSON-RPC message is answered with one error and the connection goes on.
 */
export class LineTransport implements Transport, Pausable, TextTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;

  private readonly splitter: FrameSplitter;
  private readonly maxFrameBytes: number;
  private batch: string[] = [];
  private batchLength = 0;
  private flushing = false;
  private blocked: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly options: LineTransportOptions) {
    this.maxFrameBytes = options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES;
    this.splitter = new FrameSplitter(this.maxFrameBytes);
  }

  async start(): Promise<void> {
    const { input, output } = this.options;
    input.on('data', this.read);
    input.once('end', this.finish);
    input.once('close', this.finish);
    input.once('error', this.fail);
    output.once('close', this.finish);
    output.on('error', this.fail);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.sendText(JSON.stringify(message)) ?? SENT;
  }

  /** @param text JSON without a newline */
  sendText(text: string): Promise<void> | undefined {
    if (this.closed) return Promise.reject(new Error('the connection is closed'));
    this.batch.push(text);
    this.batchLength += text.length;
    if (this.batchLength >= WRITTEN_AT_ONCE) this.write();
    else if (!this.flushing) {
      this.flushing = true;
      setImmediate(this.flush);
    }
    return this.blocked;
  }

  /** Reads nothing more until `resume`; what has been read already is still delivered. */
  pause(): void {
    this.options.input.pause();
  }

  resume(): void {
    if (!this.closed) this.options.input.resume();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.write();
    await this.blocked;
    this.finish();
  }

  private readonly read = (chunk: Buffer): void => {
    for (const line of this.splitter.push(chunk)) {
      if (this.closed) return;
      const frame = this.decode(line);
      if (frame.kind === 'message') this.onmessage?.(frame.message);
      else this.refuse(frame);
    }
  };

  private decode(line: Line): DecodedFrame {
    if (line.kind === 'line') return decodeText(line.text);
    return line.kind === 'binary' ? binaryFrame() : oversizedFrame(line.bytes, this.maxFrameBytes);
  }

  private refuse(frame: RefusedFrame): void {
    this.onerror?.(new Error(frame.error.message));
    if (this.options.endsWhenRefused) {
      this.finish();
      return;
    }
    // JSON-RPC wants `id: null` where the id could not be read; the SDK's type has no room for it.
    void this.send({ jsonrpc: '2.0', id: frame.id, error: frame.error } as unknown as JSONRPCMessage).catch(() => {});
  }

  private readonly flush = (): void => {
    this.flushing = false;
    this.write();
  };

  private write(): void {
    if (this.batch.length === 0 || this.closed) return;
    const text = `${this.batch.join('\n')}\n`;
    this.batch = [];
    this.batchLength = 0;
    if (this.options.output.write(text) || this.blocked) return;
    this.blocked = new Promise<void>((resolve) => {
      const go = (): void => {
        this.blocked = undefined;
        this.options.output.off('drain', go);
        this.options.output.off('close', go);
        resolve();
      };
      this.options.output.once('drain', go);
      this.options.output.once('close', go);
    });
  }

  private readonly fail = (error: Error): void => {
    if (this.closed) return;
    this.onerror?.(error);
    this.finish();
  };

  private readonly finish = (): void => {
    if (this.closed) return;
    this.closed = true;
    this.options.input.off('data', this.read);
    this.options.input.pause();
    this.options.dispose?.();
    this.onclose?.();
  };
}
