import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type Log, silentLog, systemTime, type Time } from '@mcpl-bridges/producer';
import { nanoid } from 'nanoid';
import type { PresenceFeed } from '../feed/feed.js';
import type { SubjectRefs } from '../refs.js';
import { presenceApp } from './app.js';
import { BrowserSessions } from './browser-sessions.js';
import type { Callers } from './callers.js';
import { Gate } from './gate.js';
import { HostEvents } from './host-events.js';
import type { ServiceContext } from './service-context.js';
import { StreamCounts } from './stream-counts.js';

export interface PresenceServiceOptions {
  readonly name: string;
  readonly version: string;
  readonly feed: PresenceFeed;
  readonly refs: SubjectRefs;
  /** Whether somebody beside the agent itself is an agent. Default: nobody is. */
  readonly isAgent?: (userId: string) => boolean;
  /** Whose tokens are known now. */
  readonly callers: () => Callers;
  /** Whether presence is told now: discovery says so only then. */
  readonly emits: () => boolean;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Whether the samples of the public conformance suite are served. Default: they are not. */
  readonly seams?: boolean;
  /** Streams that a token may have open at once. Default 20. */
  readonly streamsPerToken?: number;
  readonly time?: Time;
  /** ISO 8601. Default: now. */
  readonly now?: () => string;
  /** At least 16 characters. Default nanoid. */
  readonly newId?: () => string;
  readonly log?: Log;
}

/** Serves presence to OpenWOP hosts and clients. */
export class PresenceService {
  private readonly stopWatching: () => void;

  private constructor(
    private readonly server: Server,
    private readonly context: ServiceContext,
  ) {
    this.stopWatching = context.feed.watchRoster((scope) => this.look(scope));
  }

  /** @throws Error where the address cannot be had */
  static async start(options: PresenceServiceOptions): Promise<PresenceService> {
    const { name, version, feed, refs, emits, seams = false, log = silentLog, time = systemTime } = options;
    const { isAgent = () => false, newId = nanoid, now = () => new Date().toISOString() } = options;
    const sessions = new BrowserSessions(() => time.monotonic());
    const context: ServiceContext = {
      name,
      version,
      feed,
      refs,
      isAgent: (userId) => userId === feed.roster.selfId || isAgent(userId),
      gate: new Gate(options.callers, sessions, feed),
      sessions,
      counts: new StreamCounts(options.streamsPerToken ?? 20),
      hostEvents: new HostEvents(newId, now),
      streams: new Set(),
      seams,
      emits,
      time,
      now,
      newId,
      log,
    };
    const server = createServer(getRequestListener(presenceApp(context).fetch));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, options.host, resolve);
    });
    return new PresenceService(server, context);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Looks again at who may see what, in a scope or everywhere: tokens may have gone, or rights. */
  look(scope?: string): void {
    for (const { stream } of [...this.context.streams]) stream.look(scope);
  }

  async close(): Promise<void> {
    this.stopWatching();
    for (const { end } of [...this.context.streams]) end();
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
