import type { ChannelHistory, OpenHistory } from '@mcpl-bridges/protocol';
import { type Locus, locusKey } from './locus.js';
import type { ChatMessage } from './message.js';
import { type ChatPlatform, HISTORY_PAGE, type HistoryQuery } from './platform.js';
import { isNewer } from './reconcile/message-order.js';
import { renderCreate } from './render/text.js';
import type { TellTime } from './render/times.js';

export interface BackscrollLimits {
  /** Most messages that come with the opening of a channel, whatever the host asks for. Default 80. */
  readonly onOpen: number;
  /** Most messages of a channel's past that may be read at all; `undefined` for no such limit. */
  readonly inChannel: (channelId: string) => number | undefined;
}

export const DEFAULT_BACKSCROLL: BackscrollLimits = { onOpen: 80, inChannel: () => undefined };

export interface BackscrollOptions {
  readonly platform: Pick<ChatPlatform, 'history'>;
  readonly limits: BackscrollLimits;
  /** The newest message of a channel that was taken in. */
  readonly newest: (place: string) => Promise<string | undefined>;
  /** The agent reads these: from now on it is to know what becomes of them. */
  readonly haveBeenRead: (messages: readonly ChatMessage[]) => Promise<void>;
  readonly tellTime: TellTime;
}

/** What of a channel's past an agent gets to read. */
export class Backscroll {
  constructor(private readonly options: BackscrollOptions) {}

  /** @param query of any size; pages are put together @throws SendRefused */
  async read(locus: Locus, query: HistoryQuery): Promise<readonly ChatMessage[]> {
    const limit = Math.min(query.limit, this.options.limits.inChannel(locus.channelId) ?? query.limit);
    if (limit === 0) return [];
    if (query.around !== undefined) return this.options.platform.history(locus, { ...query, limit });
    const messages: ChatMessage[] = [];
    let before = query.before;
    while (messages.length < limit) {
      const most = Math.min(HISTORY_PAGE, limit - messages.length);
      const page = await this.options.platform.history(locus, {
        limit: most,
        ...(before === undefined ? {} : { before }),
      });
      messages.unshift(...page);
      before = messages[0]?.messageId;
      if (page.length < most) break;
    }
    return messages;
  }

  /** What a host wants to see of a channel's past when it opens it. @throws SendRefused */
  async onOpening(channelId: string, { limit, beforeMessageId, sinceLastSeen }: OpenHistory): Promise<ChannelHistory> {
    const { limits, newest, haveBeenRead } = this.options;
    const locus = { channelId };
    const most = Math.min(limit, limits.inChannel(channelId) ?? limits.onOpen);
    const since = sinceLastSeen ? await newest(locusKey(locus)) : undefined;
    const found = await this.read(locus, {
      limit: most,
      ...(beforeMessageId === undefined ? {} : { before: beforeMessageId }),
    });
    const messages = since === undefined ? found : found.filter(({ messageId }) => isNewer(messageId, since));
    await haveBeenRead(messages);
    return { history: messages.map((message) => this.entry(message)), historyTruncated: limit > most };
  }

  private entry(message: ChatMessage): ChannelHistory['history'][number] {
    const { channelId, messageId, author, createdAt } = message;
    return {
      channelId,
      messageId,
      author: { id: author.id, name: author.name },
      timestamp: createdAt,
      content: renderCreate(message, { tellTime: this.options.tellTime, isLate: true }),
      metadata: { backscroll: true, isBot: author.kind !== 'human' },
    };
  }
}
