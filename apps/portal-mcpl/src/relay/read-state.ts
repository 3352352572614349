import type { PortalMessage, RpcMethod, RpcParams } from '@mcpl-bridges/portal-client';

/** How long a channel's reading is gathered before the relay is told, ms. */
const GATHER_MS = 1000;

export type Ask = <M extends RpcMethod>(method: M, params: RpcParams<M>) => Promise<unknown>;

/**
 * Tells the relay how far a channel was read. Only times that came from the relay itself may be said: it compares them as
 * text, and one from the future would hide all that follows.
 */
export class ReadState {
  private readonly waiting = new Map<string, string>();
  private callOff: (() => void) | undefined;

  constructor(
    private readonly ask: Ask,
    private readonly after: (ms: number, action: () => void) => () => void,
  ) {}

  read({ channelId, createdAt }: Pick<PortalMessage, 'channelId' | 'createdAt'>): void {
    if (createdAt > (this.waiting.get(channelId) ?? '')) this.waiting.set(channelId, createdAt);
    this.callOff ??= this.after(GATHER_MS, () => this.flush());
  }

  stop(): void {
    this.callOff?.();
    this.flush();
  }

  private flush(): void {
    this.callOff = undefined;
    // Whoever is told nothing keeps it as unread: nothing is lost.
    for (const [channelId, uptoCreatedAt] of this.waiting)
      this.ask('mark_read', { channelId, uptoCreatedAt }).catch(() => {});
    this.waiting.clear();
  }
}
