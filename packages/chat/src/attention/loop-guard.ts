import { type ChatMessage, isAddressed, isBot } from '../message.js';

export interface LoopGuardLimits {
  /** How often bots may address the agent in a channel in a row. Default 8. */
  readonly turns: number;
  /** After how long without one of theirs they may again, ms. Default 10 minutes. */
  readonly pauseMs: number;
}

export const DEFAULT_LOOP_GUARD: LoopGuardLimits = { turns: 8, pauseMs: 600_000 };

/** Channels that are kept in mind. */
const MAX_CHANNELS = 1000;

interface Run {
  readonly turns: number;
  readonly at: number;
}

const NOBODY = { mention: false, replyToAgent: false, broadcast: false, direct: false };

/**
 * Keeps two bots from talking each other awake for ever: what bots say to the agent after so many turns without a person
 * in between is talk among others, until a person speaks or there was a pause.
 */
export class LoopGuard {
  private readonly runs = new Map<string, Run>();

  constructor(
    private readonly limits: LoopGuardLimits,
    private readonly onLoop: (channelId: string) => void,
  ) {}

  /** A new message as it should be understood. @param now ms */
  hear(message: ChatMessage, now: number): ChatMessage {
    const { channelId, author, addressing } = message;
    if (author.kind === 'human') this.runs.delete(channelId);
    if (!isBot(author) || !isAddressed(addressing)) return message;
    const before = this.runs.get(channelId);
    const turns = before && now - before.at < this.limits.pauseMs ? before.turns + 1 : 1;
    this.put(channelId, { turns, at: now });
    if (turns <= this.limits.turns) return message;
    if (turns === this.limits.turns + 1) this.onLoop(channelId);
    return { ...message, addressing: NOBODY };
  }

  private put(channelId: string, run: Run): void {
    this.runs.delete(channelId);
    this.runs.set(channelId, run);
    const [oldest] = this.runs.keys();
    if (this.runs.size > MAX_CHANNELS && oldest !== undefined) this.runs.delete(oldest);
  }
}
