import { afterEach } from 'vitest';
import { SubjectRefs } from '../refs.js';
import { Room } from '../room.testkit.js';
import { type Caller, hashOf } from './callers.js';
import { PresenceService, type PresenceServiceOptions } from './service.js';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

export interface SseFrame {
  readonly event?: string;
  readonly id?: string;
  readonly data?: unknown;
  readonly comment?: string;
}

const frameOf = (text: string): SseFrame => {
  const frame: Record<string, unknown> = {};
  for (const line of text.split('\n')) {
    if (line.startsWith(':')) frame.comment = line.slice(1).trim();
    const [, name, value] = /^(event|id|data): ?(.*)$/.exec(line) ?? [];
    if (name) frame[name] = name === 'data' ? JSON.parse(value ?? '') : value;
  }
  return frame;
};

/** A reader of server-sent events that is as strict as the wire. */
export class SseReader {
  readonly frames: SseFrame[] = [];
  ended = false;
  private text = '';
  private readonly wakers: (() => void)[] = [];

  /** @param close ends the reading */
  constructor(
    readonly response: Response,
    readonly close: () => void,
  ) {
    void this.read();
  }

  /** The frame with this number, from 0; waits for it. @throws Error where the stream ends before */
  async frame(n: number): Promise<SseFrame> {
    while (this.frames.length <= n) {
      if (this.ended) throw new Error(`the stream ended after ${this.frames.length} frames`);
      await this.news();
    }
    return this.frames[n] as SseFrame;
  }

  async end(): Promise<void> {
    while (!this.ended) await this.news();
  }

  private news(): Promise<void> {
    return new Promise((resolve) => this.wakers.push(resolve));
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? []) {
        this.text += decoder.decode(chunk as Uint8Array, { stream: true });
        const parts = this.text.split('\n\n');
        this.text = parts.pop() ?? '';
        this.frames.push(...parts.map(frameOf));
        this.wake();
      }
    } catch {
      // Called off by the reader.
    }
    this.ended = true;
    this.wake();
  }

  private wake(): void {
    for (const waker of this.wakers.splice(0)) waker();
  }
}

/** A service over a room of its own; tokens are `<user>-token`. */
export const openService = async (
  options: Partial<PresenceServiceOptions> & {
    room?: Room;
    users?: readonly string[];
    tenants?: Record<string, string>;
  } = {},
) => {
  const room = options.room ?? new Room({ debounceMs: 0 });
  const tokens = new Map<string, Caller>();
  const grant = (id: string, tenant?: string): void => {
    const token = hashOf(`${id}-token`);
    tokens.set(token, { token, id, ...(tenant === undefined ? {} : { tenant }) });
  };
  for (const id of options.users ?? ['alice', 'bob', 'mallory']) grant(id, options.tenants?.[id]);
  const service = await PresenceService.start({
    name: 'test',
    version: '1.0.0',
    feed: room.feed,
    refs: new SubjectRefs({ key: new Uint8Array(32).fill(7), platform: 'test', use: 'feed', raw: true }),
    callers: () => tokens,
    emits: () => true,
    host: '127.0.0.1',
    port: 0,
    ...options,
  });
  open.push(() => room.feed.close());
  open.push(() => service.close());
  const base = `http://127.0.0.1:${service.port}`;
  const call = (path: string, user?: string, init: RequestInit = {}): Promise<Response> =>
    fetch(base + path, {
      ...init,
      headers: { ...(user === undefined ? {} : { Authorization: `Bearer ${user}-token` }), ...init.headers },
    });
  const stream = async (path: string, user: string, headers: Record<string, string> = {}): Promise<SseReader> => {
    const callOff = new AbortController();
    open.push(() => callOff.abort());
    return new SseReader(await call(path, user, { headers, signal: callOff.signal }), () => callOff.abort());
  };
  const post = (path: string, user: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
    call(path, user, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  return { room, service, tokens, grant, base, call, post, stream };
};

export const presenceOf = (channelId: string): string =>
  `/v1/host/mcpl-bridges/channels/${encodeURIComponent(channelId)}/presence`;
