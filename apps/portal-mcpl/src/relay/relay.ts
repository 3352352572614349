import {
  CallUnknown,
  NotConnected,
  type PortalClient,
  type PortalMessage,
  type RpcMethod,
  type RpcParams,
  type RpcResult,
} from '@mcpl-bridges/portal-client';
import pLimit from 'p-limit';
import { nativeId } from '../ids.js';

/** Histories that are asked for at once: what is posted meanwhile must not wait behind them all. */
const MAX_FETCHES = 4;

/** How long the news of a message waits for what only the relay can say about it, ms. */
const PATIENCE_MS = 5000;

/** Most messages that a relay gives at once. */
const PAGE = 100;

/** What is asked of the relay. */
export class Relay {
  private readonly fetches = pLimit(MAX_FETCHES);
  private readonly arrivals = new Set<() => void>();

  /** @param client `undefined` before anybody has tried to come in */
  constructor(private readonly client: () => PortalClient | undefined) {}

  /** @throws NotConnected at once where the relay is not there @throws CallRefused @throws CallUnknown */
  async call<M extends RpcMethod>(method: M, params: RpcParams<M>): Promise<RpcResult<M>> {
    const client = this.client();
    if (!client) throw new NotConnected('the relay is not there yet');
    return client.call(method, params);
  }

  /** Asks for all talk of a channel; resolves when the relay knows. */
  async hear(channelId: string): Promise<void> {
    const client = this.client();
    if (!client) throw new NotConnected('the relay is not there yet');
    await client.subscribe(channelId);
  }

  hears(channelId: string): boolean {
    return this.client()?.hears(channelId) ?? false;
  }

  unhear(channelId: string): void {
    this.client()?.unsubscribe(channelId);
  }

  /** Newest first. @param before only messages older than this one */
  async history(container: string, limit: number, before?: string): Promise<readonly PortalMessage[]> {
    const { messages } = await this.fetches(() =>
      this.call('fetch_history', {
        channelId: container,
        limit: Math.min(limit, PAGE),
        ...(before === undefined ? {} : { before }),
      }),
    );
    return messages;
  }

  /** A message as it stands now; `undefined` where it does not. */
  async present(container: string, id: string): Promise<PortalMessage | undefined> {
    const native = nativeId(id);
    const [found] = await this.patiently(() => this.history(container, 1, `rm_${container}_${native + 1n}`));
    return found?.nativeId === String(native) ? found : undefined;
  }

  /** Looks something up about what has happened; waits a moment for a relay that is not there. */
  async patiently<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof NotConnected || error instanceof CallUnknown)) throw error;
      await this.whenIn(PATIENCE_MS);
      return ask();
    }
  }

  /** The persona has come in. */
  arrived(): void {
    for (const go of [...this.arrivals]) go();
  }

  /** Resolves when the persona is in, at once where it is. @throws CallUnknown where that takes longer than `ms` */
  async whenIn(ms: number): Promise<void> {
    if (this.client()?.phase.kind === 'ready') return;
    await new Promise<void>((resolve, reject) => {
      const settle = (act: () => void) => () => {
        this.arrivals.delete(go);
        clearTimeout(timer);
        act();
      };
      const go = settle(resolve);
      const give = settle(() =>
        reject(new CallUnknown('the relay has not come back; the message may have been posted')),
      );
      const timer = setTimeout(give, ms);
      this.arrivals.add(go);
    });
  }
}
