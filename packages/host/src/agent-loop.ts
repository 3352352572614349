import { serverIdOf } from './binding.js';
import type { Admitted, News } from './engine.js';
import type { Host, Turn } from './host.js';
import type { Model } from './model/model.js';
import { type DueCause, WakePlanner } from './wake/planner.js';
import { chooseBehavior, DEFAULT_WAKE_POLICY, type WakePolicy } from './wake/rules.js';

export interface AgentLoopOptions {
  readonly host: Host;
  readonly model: Model;
  /** When occurrences start inferences. Default: after half a quiet second, at most five seconds late. */
  readonly wake?: WakePolicy | undefined;
  /** The contexts it runs. Default: all. */
  readonly owns?: ((context: string) => boolean) | undefined;
  /** A wake is about to start; runs also where it then finds nothing to read. */
  readonly onWake?: (context: string, causes: readonly DueCause[]) => void;
  readonly onTurn: (turn: Turn) => void;
  readonly onError: (error: Error) => void;
}

/** Longest time a timer is set for; a later deadline is looked at again then. ms. */
const MAX_TIMER_MS = 60_000;

/**
 * Runs an agent's turns as its wake policy wants them. An inference whose only cause was replaced by something that does
 * not qualify, was taken back unread, or rendered to nothing does not run. Turns of one loop do not overlap.
 */
export class AgentLoop {
  private readonly planner = new WakePlanner();
  private readonly policy: WakePolicy;
  private timer: NodeJS.Timeout | undefined;
  private running = false;
  private paused = false;

  constructor(private readonly options: AgentLoopOptions) {
    this.policy = options.wake ?? DEFAULT_WAKE_POLICY;
    options.host.engine.on('admitted', this.admitted);
    // What an earlier process had admitted and no model has read is reconsidered under today's policy.
    for (const news of options.host.engine.news()) this.note([news.context], news);
    this.arm();
  }

  /** No inference starts until `resume`; what arrives waits. */
  pause(): void {
    this.paused = true;
    clearTimeout(this.timer);
  }

  resume(): void {
    this.paused = false;
    this.arm();
  }

  stop(): void {
    this.pause();
    this.options.host.engine.off('admitted', this.admitted);
  }

  private readonly admitted = ({ occurrence, subject, unreadIn, emptiedIn }: Admitted): void => {
    for (const context of emptiedIn) if (subject) this.planner.withdraw(context, subject);
    const { tags, binding, message, treatment } = occurrence;
    const own = treatment.kind === 'retract' ? undefined : subject;
    this.note(unreadIn, { tags, binding, channelId: message?.channelId, subject: own });
    this.arm();
  };

  /** Ordinary events of one rule share its quiet period; a subject has its own. */
  private note(contexts: readonly string[], { tags, binding, channelId, subject }: Omit<News, 'context'>): void {
    const { behavior, rule } = chooseBehavior(this.policy, { tags, source: serverIdOf(binding), channelId });
    for (const context of contexts)
      if (this.options.owns?.(context) ?? true)
        this.planner.note(context, subject ?? `rule:${rule}`, behavior, performance.now());
  }

  /** Whether an inference is under way or will be due. */
  get busy(): boolean {
    return this.running || this.planner.nextDue() !== undefined;
  }

  private arm(): void {
    clearTimeout(this.timer);
    const next = this.planner.nextDue();
    if (!next || this.running || this.paused) return;
    const wait = Math.min(MAX_TIMER_MS, Math.max(0, next.at - performance.now()));
    this.timer = setTimeout(() => void this.wake(), wait);
  }

  private async wake(): Promise<void> {
    const next = this.planner.nextDue();
    if (!next || next.at > performance.now()) return this.arm();
    this.running = true;
    const causes = this.planner.start(next.context, performance.now());
    this.options.onWake?.(next.context, causes);
    try {
      const turn = await this.options.host.turnForNews(this.options.model, next.context);
      if (turn) this.options.onTurn(turn);
    } catch (error) {
      this.options.onError(error as Error);
    } finally {
      this.running = false;
      this.arm();
    }
  }
}
