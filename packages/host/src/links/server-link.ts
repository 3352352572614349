import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { HostSession } from '../session/host-session.js';
import type { Reached } from './reach.js';
import { type Ending, mayRestart, pauseMs, type RestartPolicy, wasHealthy } from './restart.js';

/**
 * Where a link stands: it connects, is connected until it is not, pauses, and connects again; or it has ended, for
 * good.
 */
export type LinkState =
  | { readonly kind: 'connected'; readonly session: HostSession }
  | { readonly kind: 'paused'; readonly ms: number; readonly why: string }
  | { readonly kind: 'ended'; readonly why: string };

export interface LinkOptions {
  readonly reach: () => Promise<Reached>;
  /** Handshake and policy over what was reached. */
  readonly connect: (transport: Transport) => Promise<HostSession>;
  readonly restart: RestartPolicy;
  readonly onState: (state: LinkState) => void;
  readonly random?: () => number;
}

/** Keeps one server connected, as its restart policy says. */
export class ServerLink {
  private reached: Reached | undefined;
  private stopped = false;
  private wake: (() => void) | undefined;
  private everConnected = false;
  /** Resolves when the link has ended. */
  readonly ended: Promise<void>;

  constructor(private readonly options: LinkOptions) {
    this.ended = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wake?.();
    await this.reached?.stop();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { restart, random = Math.random, onState } = this.options;
    for (let attempt = 1; ; attempt++) {
      const before = performance.now();
      const ending = await this.once();
      if (this.stopped || !mayRestart(restart, ending, this.everConnected)) {
        onState({ kind: 'ended', why: ending.why });
        return;
      }
      if (wasHealthy(restart, performance.now() - before)) attempt = 1;
      const ms = pauseMs(restart, attempt, random());
      onState({ kind: 'paused', ms, why: ending.why });
      await this.pause(ms);
      if (!this.stopped) continue;
      onState({ kind: 'ended', why: ending.why });
      return;
    }
  }

  /** One connection, from reaching the server to its end. */
  private async once(): Promise<Ending> {
    try {
      this.reached = await this.options.reach();
    } catch (error) {
      return { how: 'unreached', why: (error as Error).message };
    }
    try {
      const session = await this.options.connect(this.reached.transport);
      this.everConnected = true;
      this.options.onState({ kind: 'connected', session });
      await session.closed;
      return await this.reached.ending();
    } catch (error) {
      await this.reached.stop();
      return { how: 'unreached', why: (error as Error).message };
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
