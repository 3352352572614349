import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** What becomes of one occurrence on the wire. */
export type Fate = 'pass' | 'drop request' | 'drop reply' | 'late reply' | 'duplicate' | 'cut';

const OCCURRENCES = new Set(['push/event', 'channels/incoming']);

/** A server's end of a connection that loses, repeats, delays and cuts what carries occurrences, as it is told. */
export class LossyTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  private readonly swallowed = new Set<string | number>();
  private readonly delayed = new Set<string | number>();
  private readonly late: JSONRPCMessage[] = [];

  constructor(
    private readonly inner: Transport,
    private readonly nextFate: (message: JSONRPCMessage) => Fate,
  ) {}

  async start(): Promise<void> {
    this.inner.onclose = () => this.onclose?.();
    this.inner.onmessage = (message: JSONRPCMessage) => this.receive(message);
    await this.inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message) || !('id' in message) || !OCCURRENCES.has(message.method))
      return this.inner.send(message);
    switch (this.nextFate(message)) {
      case 'drop request':
        return;
      case 'drop reply':
        this.swallowed.add(message.id);
        return this.inner.send(message);
      case 'late reply':
        this.delayed.add(message.id);
        return this.inner.send(message);
      case 'duplicate':
        await this.inner.send(message);
        return this.inner.send(message);
      case 'cut':
        this.swallowed.add(message.id);
        await this.inner.send(message);
        return this.inner.close();
      case 'pass':
        return this.inner.send(message);
    }
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  /** What was delayed arrives. */
  release(): void {
    for (const message of this.late.splice(0)) this.onmessage?.(message);
  }

  private receive(message: JSONRPCMessage): void {
    const id = 'id' in message && !('method' in message) ? message.id : undefined;
    if (id !== undefined && this.swallowed.has(id)) return;
    if (id !== undefined && this.delayed.has(id)) this.late.push(message);
    else this.onmessage?.(message);
  }
}
