import type { ChannelDescriptor } from '@mcpl-bridges/protocol';
import { type Locus, locusKey } from '../locus.js';
import { ToolFailure } from './tool.js';

/** How many channels are named where several could be meant. */
const MAX_CHOICES = 10;

/** Somewhere that tools can be pointed at. */
export interface Entry {
  /** What tools call it: a channel's MCPL id, and of a thread what its platform writes like one. */
  readonly id: string;
  readonly label: string;
  readonly locus: Locus;
}

/** A thread that is kept under its channel. */
export type ThreadEntry = Entry & { readonly locus: Required<Locus> };

/** The channels and threads that tools know, by whatever people and models call them. */
export class ChannelDirectory {
  /** By `locusKey`. */
  private readonly entries = new Map<string, Entry>();
  /** By their channel and their own id. */
  private readonly threads = new Map<string, Map<string, Locus>>();

  put({ id, label }: ChannelDescriptor): void {
    this.entries.set(id, { id, label, locus: { channelId: id } });
  }

  putThread(thread: ThreadEntry): void {
    const { channelId, threadId } = thread.locus;
    this.entries.set(locusKey(thread.locus), thread);
    this.threads.set(channelId, (this.threads.get(channelId) ?? new Map()).set(threadId, thread.locus));
  }

  delete(locus: Locus): void {
    this.entries.delete(locusKey(locus));
    if (locus.threadId !== undefined) this.threads.get(locus.channelId)?.delete(locus.threadId);
  }

  has(place: string): boolean {
    return this.entries.has(place);
  }

  labelOf(place: string): string | undefined {
    return this.entries.get(place)?.label;
  }

  all(): Entry[] {
    return [...this.entries.values()];
  }

  channels(): Entry[] {
    return this.all().filter(({ locus }) => locus.threadId === undefined);
  }

  threadsOf(channelId: string): Locus[] {
    return [...(this.threads.get(channelId)?.values() ?? [])];
  }

  /** The MCPL id of the channel that is meant, or that the thread is in which is meant. @throws ToolFailure */
  resolve(text: string): string {
    return this.locate(text).channelId;
  }

  /**
   * Where is meant: by its id, by the platform's own, by its label (`#general (Home)`), or by its name (`#general`) where that
   * is the only one.
   * @throws ToolFailure that names what could be meant
   */
  locate(text: string): Locus {
    const all = this.all();
    const wanted = text.trim().toLowerCase();
    const named = (test: (label: string) => boolean) => all.filter(({ label }) => test(label.toLowerCase()));
    const ways = [
      all.filter(({ id }) => id === text),
      all.filter(({ id }) => id.endsWith(`:${text}`)),
      named((label) => label === wanted),
      named((label) => label.startsWith(`${wanted.startsWith('#') ? wanted : `#${wanted}`} (`)),
    ];
    const found = ways.find((way) => way.length > 0) ?? [];
    if (found.length === 1) return (found[0] as Entry).locus;
    if (found.length === 0)
      throw new ToolFailure(`there is no channel ${text} here; use an id from the channel list (list_channels)`);
    const choices = found.slice(0, MAX_CHOICES).map(({ id, label }) => `${id} ${label}`);
    throw new ToolFailure(`${text} could be any of ${found.length} channels; use an id: ${choices.join(', ')}`);
  }
}
