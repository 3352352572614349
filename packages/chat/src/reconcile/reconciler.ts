import type { Log, RecordWrite } from '@mcpl-bridges/producer';
import type { ChatEvent, ChatMessage } from '../message.js';
import { type ChatPlatform, HISTORY_PAGE } from '../platform.js';
import type { ChannelMemory } from './channel-memory.js';
import { isNewer } from './message-order.js';
import { type Gap, planReconciliation, type Stretch } from './plan.js';

export interface ReconcileLimits {
  /** Most messages a channel that are looked at. Default 200. */
  readonly messages: number;
  /** Messages older than this are not looked at, ms. Default 7 days. */
  readonly ageMs: number;
}

export const DEFAULT_RECONCILE_LIMITS: ReconcileLimits = { messages: 200, ageMs: 7 * 86_400_000 };

export interface ReconcilerOptions {
  readonly platform: Pick<ChatPlatform, 'history'>;
  readonly memory: ChannelMemory;
  readonly limits: ReconcileLimits;
  readonly log: Log;
  /** ms since the Unix epoch. */
  readonly now: () => number;
  readonly isKnown: (channelId: string, messageId: string) => Promise<boolean>;
  readonly take: (event: ChatEvent) => Promise<void>;
  readonly remember: (records: readonly RecordWrite[]) => Promise<void>;
  /** Whether a channel of which nothing is known was made while nobody listened: all that was said there is news. */
  readonly isNew: (channelId: string) => Promise<boolean>;
  /** There is more than was looked at: the agent is told. */
  readonly tellGap: (channelId: string, gap: Gap) => Promise<void>;
}

/** What is known of a channel before it is looked at. */
export interface Found {
  readonly channelId: string;
  /** The channel's newest message, `''` for none; `undefined` where it is not known without asking. */
  readonly newest: string | undefined;
}

/** Brings what an agent knows of a channel up to what stands there now (after a gap in what was heard of it). */
export class Reconciler {
  constructor(private readonly options: ReconcilerOptions) {}

  /** Something happens in a channel. Must run in its turn, too. */
  async meet(channelId: string): Promise<void> {
    const { memory, isNew } = this.options;
    if (!(await memory.record(channelId)) && (await isNew(channelId))) await this.run({ channelId, newest: undefined });
  }

  /**
   * Must run in its channel's turn, before whatever happens there later.
   * @returns how much was missed
   */
  async run({ channelId, newest }: Found): Promise<number> {
    const { memory, log, now, take, remember, isNew, tellGap } = this.options;
    const held = await memory.record(channelId);
    // Where nobody has ever looked, what stands there is not news.
    if (!held) await remember(await memory.begin(channelId, (await isNew(channelId)) ? '' : (newest ?? '')));
    const record = held ?? (await memory.record(channelId));
    if (!record) return 0;
    const announced = await memory.announced(channelId);
    if (newest !== undefined && !isNewer(newest, record.newest) && announced.length === 0) return 0;
    const stretch = await this.fetch(channelId, record.newest, announced);
    const known = await this.knownOf(channelId, stretch.messages);
    const at = new Date(now()).toISOString();
    const plan = planReconciliation(channelId, stretch, record, announced, (id) => known.has(id), at);
    if (plan.gap) {
      log.warn({ channelId, after: plan.gap.after }, 'more was missed in a channel than is caught up with');
      await tellGap(channelId, plan.gap);
    }
    for (const event of plan.events) await take(event);
    return plan.events.filter(({ kind }) => kind !== 'updated').length;
  }

  /** Back to what is known, and to the oldest message that may have changed, within the limits. */
  private async fetch(channelId: string, newestKnown: string, announced: readonly string[]): Promise<Stretch> {
    const { platform, limits, now } = this.options;
    const target = [newestKnown, ...announced].reduce((oldest, id) => (isNewer(oldest, id) ? id : oldest));
    const oldestTime = new Date(now() - limits.ageMs).toISOString();
    const messages: ChatMessage[] = [];
    while (messages.length < limits.messages) {
      const limit = Math.min(HISTORY_PAGE, limits.messages - messages.length);
      const before = messages[0]?.messageId;
      const page = await platform.history(channelId, { limit, ...(before === undefined ? {} : { before }) });
      const recent = page.filter(({ createdAt }) => createdAt >= oldestTime);
      messages.unshift(...recent);
      if (recent.length < page.length) return { messages, isWhole: false };
      if (page.length < limit) return { messages, isWhole: true };
      if (!isNewer(messages[0]?.messageId ?? '', target)) break;
    }
    return { messages, isWhole: false };
  }

  private async knownOf(channelId: string, messages: readonly ChatMessage[]): Promise<ReadonlySet<string>> {
    const known = await Promise.all(messages.map(({ messageId }) => this.options.isKnown(channelId, messageId)));
    return new Set(messages.flatMap(({ messageId }, i) => (known[i] ? [messageId] : [])));
  }
}
