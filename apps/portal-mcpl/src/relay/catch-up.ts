import { type ChatBridge, type ChatEvent, type Locus, locusKey } from '@mcpl-bridges/chat';
import type { AddressReason, PendingPing, PortalChannel } from '@mcpl-bridges/portal-client';
import type { Log } from '@mcpl-bridges/producer';
import { containerAt, mcplChannelId, portalChannelId, timeOfId } from '../ids.js';
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

const NONE: ReadonlyMap<string, readonly PendingPing[]> = new Map();

/** Finds out what happened while nobody listened: relays bring no messages back. */
export class CatchUp {
  /** Threads that were seen to be made. */
  private readonly born = new Set<string>();
  /** Until when somebody listened before, ms since the Unix epoch. */
  private heardUntil: Promise<number> = Promise.resolve(0);
  /** What was said to the persona and is not marked as read, by where it stands. */
  private pings: Promise<ReadonlyMap<string, readonly PendingPing[]>> = Promise.resolve(NONE);

  constructor(private readonly context: CatchUpContext) {}

  /** The persona has come in, and may have missed something anywhere. To be called before anything that happens then. */
  run(bridge: ChatBridge): void {
    const { directory, log } = this.context;
    const channels = directory.visible();
    this.heardUntil = this.until(bridge, channels);
    this.pings = this.askForPings();
    this.pings.catch((error: Error) =>
      log.warn({ reason: error.message }, 'the relay does not say who wanted the persona'),
    );
    for (const { id } of channels) {
      this.look(bridge, id);
      for (const container of [id, ...directory.threadsIn(id).map((thread) => thread.id)])
        this.takePings(bridge, id, container).catch((error: Error) =>
          log.warn({ lane: container, reason: error.message }, 'a channel could not be followed'),
        );
    }
  }

  /** Looks at a channel and its threads, if the agent has reason to hear what happens there. */
  look(bridge: ChatBridge, id: string): void {
    const channelId = mcplChannelId(id);
    let followed: Promise<boolean> | undefined;
    const isFollowed = () => (followed ??= bridge.isFollowed(channelId));
    this.lookAt(bridge, { channelId }, isFollowed);
    for (const { id: threadId, archived = false } of this.context.directory.threadsIn(id)) {
      const locus = { channelId, threadId };
      const isKnown = async () => (await bridge.newestOf([locusKey(locus)])) !== '';
      this.lookAt(bridge, locus, async () => (await isFollowed()) && (!archived || (await isKnown())));
    }
  }

  /** What becomes of a message that the agent was told of is told of those who listen only. */
  async follow(bridge: ChatBridge, id: string): Promise<void> {
    if (!this.context.relay.hears(id) && (await bridge.isFollowed(mcplChannelId(id)))) this.look(bridge, id);
  }

  /** A thread is made before our eyes: all that is said there is news. */
  threadCame(bridge: ChatBridge, thread: PortalChannel): void {
    this.born.add(thread.id);
    const channelId = mcplChannelId(thread.parentId ?? thread.id);
    this.lookAt(bridge, { channelId, threadId: thread.id }, () => bridge.isFollowed(channelId));
  }

  /** Whether a place was made while nobody listened. */
  async isNew(locus: Locus): Promise<boolean> {
    const id = containerAt(locus);
    return this.born.has(id) || timeOfId(id) > (await this.heardUntil);
  }

  private lookAt(bridge: ChatBridge, locus: Locus, isWorth: () => Promise<boolean>): void {
    const { relay } = this.context;
    bridge.reconcile(containerAt(locus), async () => {
      if (!(await isWorth())) return undefined;
      await relay.hear(portalChannelId(locus.channelId));
      await this.pings.catch(() => {});
      return { ...locus, newest: undefined };
    });
  }

  private async askForPings(): Promise<ReadonlyMap<string, readonly PendingPing[]>> {
    const { pings } = await this.context.relay.call('get_pending_pings', {});
    const reasons = new Map<string, readonly AddressReason[]>();
    const byContainer = new Map<string, PendingPing[]>();
    for (const ping of pings) {
      const { id, channelId, threadId } = ping.message;
      const container = threadId ?? channelId;
      reasons.set(id, ping.reasons);
      byContainer.set(container, [...(byContainer.get(container) ?? []), ping]);
    }
    this.context.reader.reasons = reasons;
    return byContainer;
  }

  /**
   * What was said to the persona somewhere, before anything that is said there later. Edits and deletions do not touch what
   * the relay keeps, so that what is told is what stands there now.
   */
  private async takePings(bridge: ChatBridge, channelId: string, container: string): Promise<void> {
    const { relay, reader } = this.context;
    let isTold = false;
    await bridge.receive(container, async () => {
      const events: ChatEvent[] = [];
      const pings = await this.pings.catch(() => NONE);
      for (const { message, reasons } of pings.get(container) ?? []) {
        if ((await bridge.standingOf(mcplChannelId(channelId), message.id)) !== undefined) continue;
        const present = await relay.present(container, message.id);
        if (present) events.push({ kind: 'created', message: await reader.read(present, reasons) });
      }
      isTold = events.length > 0;
      return events;
    });
    if (isTold) await this.follow(bridge, channelId);
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
