import { type ChatBridge, type Locus, locusKey } from '@mcpl-bridges/chat';
import type { AddressReason, PendingPing, PortalChannel } from '@mcpl-bridges/portal-client';
import type { Log } from '@mcpl-bridges/producer';
import { mcplChannelId, portalChannelId, timeOfId } from '../ids.js';
import type { PortalDirectory } from './directory.js';
import type { MessageReader } from './reader.js';
import type { Relay } from './relay.js';

export interface CatchUpContext {
  readonly relay: Relay;
  readonly directory: PortalDirectory;
  readonly reader: MessageReader;
  readonly log: Log;
}

/** What was under way when a bridge died may be older than the last that it stored, ms. */
const MARGIN_MS = 60_000;

/** Finds out what happened while nobody listened: relays bring no messages back. */
export class CatchUp {
  /** Threads that were seen to be made. */
  private readonly born = new Set<string>();
  /** Until when somebody listened before, ms since the Unix epoch. */
  private heardUntil: Promise<number> = Promise.resolve(0);
  private pings: Promise<readonly PendingPing[]> = Promise.resolve([]);

  constructor(private readonly context: CatchUpContext) {}

  /** The persona has come in, and may have missed something anywhere. To be called before anything that happens then. */
  run(bridge: ChatBridge): void {
    const { directory, log } = this.context;
    const channels = directory.visible();
    this.heardUntil = this.until(bridge, channels);
    this.pings = this.askForPings();
    for (const channel of channels) this.look(bridge, channel.id);
    this.pings
      .then((pings) => {
        for (const ping of pings) this.missed(bridge, ping);
      })
      .catch((error: Error) => log.warn({ reason: error.message }, 'the relay does not say who wanted the persona'));
  }

  /** Looks at a channel and its threads, if the agent has reason to hear what happens there. */
  look(bridge: ChatBridge, id: string): void {
    this.lookAt(bridge, { channelId: mcplChannelId(id) }, async () => true);
    for (const { id: threadId, archived = false } of this.context.directory.threadsIn(id)) {
      const locus = { channelId: mcplChannelId(id), threadId };
      this.lookAt(bridge, locus, async () => !archived || (await bridge.newestOf([locusKey(locus)])) !== '');
    }
  }

  /** A thread is made before our eyes: all that is said there is news. */
  threadCame(bridge: ChatBridge, thread: PortalChannel): void {
    this.born.add(thread.id);
    const channelId = mcplChannelId(thread.parentId ?? thread.id);
    this.lookAt(bridge, { channelId, threadId: thread.id }, async () => true);
  }

  /** Whether a place was made while nobody listened. */
  async isNew({ channelId, threadId }: Locus): Promise<boolean> {
    const id = threadId ?? portalChannelId(channelId);
    return this.born.has(id) || timeOfId(id) > (await this.heardUntil);
  }

  private lookAt(bridge: ChatBridge, locus: Locus, isWorth: () => Promise<boolean>): void {
    const { relay } = this.context;
    bridge.reconcile(locus.threadId ?? portalChannelId(locus.channelId), async () => {
      if (!(await bridge.isFollowed(locus.channelId)) || !(await isWorth())) return undefined;
      await relay.hear(portalChannelId(locus.channelId));
      await this.pings.catch(() => {});
      return { ...locus, newest: undefined };
    });
  }

  private async askForPings(): Promise<readonly PendingPing[]> {
    const { pings } = await this.context.relay.call('get_pending_pings', {});
    const reasons = new Map<string, readonly AddressReason[]>();
    for (const ping of pings) reasons.set(ping.message.id, ping.reasons);
    this.context.reader.reasons = reasons;
    return pings;
  }

  /** Edits and deletions do not touch what the relay keeps: what is told is what stands there now. */
  private missed(bridge: ChatBridge, { message, reasons }: PendingPing): void {
    const { directory, relay, reader } = this.context;
    const { id, channelId, threadId } = message;
    // Relays have been seen that keep what was said where the persona may not look.
    if (!directory.isVisible(channelId)) return;
    void bridge.receive(threadId ?? channelId, async () => {
      if ((await bridge.standingOf(mcplChannelId(channelId), id)) !== undefined) return undefined;
      const present = await relay.present(threadId ?? channelId, id);
      return present && { kind: 'created', message: await reader.read(present, reasons) };
    });
  }

  private async until(bridge: ChatBridge, channels: readonly PortalChannel[]): Promise<number> {
    const { directory } = this.context;
    const places = channels.flatMap(({ id }) => [
      mcplChannelId(id),
      ...directory.threadsIn(id).map((thread) => locusKey({ channelId: mcplChannelId(id), threadId: thread.id })),
    ]);
    const newest = await bridge.newestOf(places);
    return newest === '' ? bridge.firstRunAt : timeOfId(newest) - MARGIN_MS;
  }
}
