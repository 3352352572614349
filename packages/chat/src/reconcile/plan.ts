import { type Locus, locusOf } from '../locus.js';
import type { ChatMessage, MessageEvent } from '../message.js';
import type { ChannelRecord } from './channel-memory.js';
import { isNewer } from './message-order.js';

/** The newest messages of a channel, without a gap, oldest first. */
export interface Stretch {
  readonly messages: readonly ChatMessage[];
  /** There is nothing older in the channel. */
  readonly isWhole: boolean;
}

/** Messages that are too many, or too old, to be caught up with. */
export interface Gap {
  /** The last message that was taken in before it; `''` where there was none. */
  readonly after: string;
  /** The first one taken in behind it, or `undefined` where there is none. */
  readonly before: ChatMessage | undefined;
}

export interface Plan {
  readonly events: readonly MessageEvent[];
  readonly gap: Gap | undefined;
}

/**
 * What happened in a channel while nobody was looking, from what stands there now. Every message is an event again, under
 * the id it would have had: what was taken in already comes to nothing, and what was announced and stands there no more
 * was deleted.
 * @param announced ids that were announced and perhaps stand there still
 * @param isKnown whether a message was taken in before
 * @param at when deletions are noticed, ISO 8601
 */
export const planReconciliation = (
  locus: Locus,
  { messages, isWhole }: Stretch,
  record: ChannelRecord,
  announced: readonly string[],
  isKnown: (messageId: string) => boolean,
  at: string,
): Plan => {
  const present = new Set(messages.map(({ messageId }) => messageId));
  const oldest = messages[0]?.messageId;
  const isCovered = (id: string): boolean => isWhole || (oldest !== undefined && !isNewer(oldest, id));
  const gone = announced.filter((id) => isCovered(id) && !present.has(id)).sort((a, b) => (isNewer(a, b) ? 1 : -1));
  const events = messages.map((message): MessageEvent => {
    const isMissed = !isKnown(message.messageId) && isNewer(message.messageId, record.first);
    return { kind: isMissed ? 'created' : 'updated', message };
  });
  const hasGap = !isWhole && (oldest === undefined || isNewer(oldest, record.newest));
  return {
    events: gone.length === 0 ? events : [...events, { kind: 'deleted', ...locusOf(locus), messageIds: gone, at }],
    gap: hasGap ? { after: record.newest, before: messages[0] } : undefined,
  };
};
