import type { Entry } from '../core/context.js';
import type { Chunk, Outgoing } from './outgoing.js';
import type { Place } from './publish-outcome.js';

/** Where an answer goes. */
export interface Destination {
  readonly outgoing: Outgoing;
  readonly channelId: string;
  readonly threadId: Place;
}

/** The channel and thread of the last message that was read, by whichever lane it came. */
export const lastPlace = (entries: readonly Entry[]): { channelId: string; threadId?: string } | undefined =>
  entries.findLast((entry) => entry.message !== undefined)?.message;

interface Stream {
  readonly destination: Destination;
  readonly first: Chunk;
  text: string;
}

/**
 * What an inference shows of itself while it runs: that it types, and its text as it is written. All of it is advisory,
 * and is ended on every way out (SPEC §14.3).
 */
export class Speech {
  private readonly streams = new Map<string, Stream>();
  private typingAt: Destination | undefined;
  private index = 0;

  constructor(
    private readonly inferenceId: string,
    private readonly conversationId: string,
    private readonly destinationOf: (channelId?: string) => Destination | undefined,
  ) {}

  begin(): void {
    this.typingAt = this.destinationOf();
    this.typingAt?.outgoing.typing(this.typingAt.channelId, 'start');
  }

  /** Withheld where it is not known where the text will go, or it may not go there. */
  readonly say = (delta: string, channelId?: string): void => {
    const destination = this.destinationOf(channelId);
    if (!destination || delta === '') return;
    const { outgoing, channelId: to, threadId } = destination;
    if (!outgoing.mayStream(to, threadId)) return;
    const { inferenceId, conversationId } = this;
    const place = threadId === undefined ? {} : { threadId };
    const chunk = { inferenceId, conversationId, channelId: to, ...place, index: this.index++, delta };
    const stream = this.streams.get(to) ?? { destination, first: chunk, text: '' };
    stream.text += delta;
    this.streams.set(to, stream);
    outgoing.chunk(chunk);
  };

  end(): void {
    for (const { destination, first, text } of this.streams.values()) destination.outgoing.complete(first, text);
    this.typingAt?.outgoing.typing(this.typingAt.channelId, 'stop');
  }
}
