import type { ChatBridge, ThreadEntry } from '@mcpl-bridges/chat';
import type { ChannelDescriptor } from '@mcpl-bridges/protocol';
import type { PortalDirectory } from './directory.js';

/** Keeps what is registered with the host, and what tools can be pointed at, to what the persona can see. */
export class Registrar {
  private channels = new Map<string, ChannelDescriptor>();
  private threads = new Map<string, ThreadEntry>();

  constructor(private readonly directory: PortalDirectory) {}

  /** Tells the bridge what has changed. @returns the ids of channels that were not there before */
  look(bridge: ChatBridge): string[] {
    const { directory } = this;
    const channels = new Map(directory.visible().map((one) => [one.id, directory.descriptor(one)]));
    const threads = new Map(directory.threads().map((one) => [one.id, directory.threadEntry(one)]));
    void bridge.removeChannels(goneOf(this.channels, channels).map(({ id }) => id));
    void bridge.addChannels(changedOf(this.channels, channels));
    bridge.removeThreads(goneOf(this.threads, threads).map(({ locus }) => locus));
    bridge.addThreads(changedOf(this.threads, threads));
    const added = [...channels.keys()].filter((id) => !this.channels.has(id));
    this.channels = channels;
    this.threads = threads;
    return added;
  }
}

const goneOf = <T>(before: ReadonlyMap<string, T>, now: ReadonlyMap<string, T>): T[] =>
  [...before].flatMap(([id, one]) => (now.has(id) ? [] : [one]));

const changedOf = <T>(before: ReadonlyMap<string, T>, now: ReadonlyMap<string, T>): T[] =>
  [...now].flatMap(([id, one]) => (JSON.stringify(before.get(id)) === JSON.stringify(one) ? [] : [one]));
