import type { Log, RecordWrite } from '@mcpl-bridges/producer';
import { type Locus, locusKey, locusOf } from '../locus.js';
import type { ChatEvent, ChatMessage } from '../message.js';
import { type ChatPlatform, HISTORY_PAGE } from '../platform.js';
import type { ChannelMemory, ChannelRecord } from './channel-memory.js';
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
  readonly isNew: (locus: Locus) => Promise<boolean>;
  /** There is more than was looked at: the agent is told. */
  readonly tellGap: (locus: Locus, gap: Gap) => Promise<void>;
}

/** What is known of a channel before it is looked at. */
export interface Found extends Locus {
  /** The channel's newest message, `''` for none; `undefined` where it is not known without asking. */
  readonly newest: string | undefined;
}

/** Brings what an agent knows of a channel up to what stands there now (after a gap in what was heard of it). */
export class Reconciler {
  constructor(private readonly options: ReconcilerOptions) {}

  /** Something happens in a channel. Must run in its turn, too. */
  async meet(locus: Locus): Promise<void> {
    const { memory, isNew } = this.options;
    if (!(await memory.record(locusKey(locus))) && (await isNew(locus)))
      await this.run({ ...locusOf(locus), newest: undefined });
  }

  /**
   * Must run in its channel's turn, before whatever happens there later.
   * @returns how much was missed
   */
  async run({ newest, ...locus }: Found): Promise<number> {
    const { memory, log, now, take, isNew, tellGap } = this.options;
    const place = locusKey(locus);
    const { channelId } = locus;
    // Where nobody has ever looked, what stands there is not news.
    const record =
      (await memory.record(place)) ??
      (await this.begun(place, (await isNew(locus)) ? '' : (newest ?? (await this.newest(locus)))));
    if (!record) return 0;
    const announced = await memory.announced(place);
    if (newest !== undefined && !isNewer(newest, record.newest) && announced.length === 0) return 0;
    const stretch = await this.fetch(locus, record.newest, announced);
    const known = await this.knownOf(channelId, stretch.messages);
    const at = new Date(now()).toISOString();
    const plan = planReconciliation(locus, stretch, record, announced, (id) => known.has(id), at);
    if (plan.gap) {
      log.warn({ place, after: plan.gap.after }, 'more was missed in a channel than is caught up with');
      await tellGap(locus, plan.gap);
    }
    for (const event of plan.events) await take(event);
    return plan.events.filter(({ kind }) => kind !== 'updated').length;
  }

  private async begun(place: string, newest: string): Promise<ChannelRecord | undefined> {
    const { memory, remember } = this.options;
    await remember(await memory.begin(place, newest));
    return memory.record(place);
  }

  /** The id of the newest message that stands somewhere; `''` where there is none. */
  private async newest(locus: Locus): Promise<string> {
    const [newest] = await this.options.platform.history(locus, { limit: 1 });
    return newest?.messageId ?? '';
  }

  /** Back to what is known, and to the oldest message that may have changed, within the limits. */
  private async fetch(locus: Locus, newestKnown: string, announced: readonly string[]): Promise<Stretch> {
    const { platform, limits, now } = this.options;
    const target = [newestKnown, ...announced].reduce((oldest, id) => (isNewer(oldest, id) ? id : oldest));
    const oldestTime = new Date(now() - limits.ageMs).toISOString();
    const messages: ChatMessage[] = [];
    while (messages.length < limits.messages) {
      const limit = Math.min(HISTORY_PAGE, limits.messages - messages.length);
      const before = messages[0]?.messageId;
      const page = await platform.history(locus, { limit, ...(before === undefined ? {} : { before }) });
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
