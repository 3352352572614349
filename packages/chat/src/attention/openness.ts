import type { Producer, RecordWrite } from '@mcpl-bridges/producer';

const openKey = (channelId: string): string => `open:${channelId}`;

/**
 * Which channels the host has opened. A host opens its channels when it comes back; what was said meanwhile is for it all
 * the same, so that what an earlier process knew counts until a host says otherwise.
 */
export class Openness {
  /** Resolves when it is known whether a channel was open in an earlier process. */
  private readonly known = new Map<string, Promise<void>>();

  /** @param wasOpen whether another program had a channel open, where nothing is remembered */
  constructor(
    private readonly producer: () => Producer,
    private readonly wasOpen: (channelId: string) => boolean,
  ) {}

  /** Finds out about a channel that was not there before. */
  add(channelId: string): void {
    this.known.set(channelId, this.restore(channelId));
  }

  delete(channelId: string): void {
    this.known.delete(channelId);
  }

  async isOpen(channelId: string): Promise<boolean> {
    await this.known.get(channelId);
    return this.producer().channel(channelId).isOpen();
  }

  /** What is to be remembered of a channel that a host has opened, or closed. */
  record(channelId: string, isOpen: boolean): RecordWrite {
    return { key: openKey(channelId), value: isOpen };
  }

  private async restore(channelId: string): Promise<void> {
    const remembered = await this.producer().recall(openKey(channelId));
    if (remembered ?? this.wasOpen(channelId)) this.producer().assumeOpen(channelId);
  }
}
