import type { PortalMessage } from '@mcpl-bridges/portal-client';
import { containerOf } from '../ids.js';

/** Discord and the relay may disagree about the time by so much, ms. */
const SKEW_MS = 5000;

/** Posts whose ids are kept in mind. */
const MAX_OWN = 1000;

interface Sent {
  readonly text: string;
  readonly at: number;
}

/**
 * Knows the persona's own posts. Relays do not send them back, unless Discord's echo is faster than the answer to the post:
 * then it looks like a bot of the persona's name.
 */
export class Sending {
  private readonly own = new Set<string>();
  /** Own ones that the relay has answered for. */
  private readonly known = new Set<string>();
  /** By thread or channel: what is under way, and what became of it nobody knows. */
  private readonly underWay = new Map<string, Set<Promise<unknown>>>();
  private readonly unknown = new Map<string, Sent[]>();

  /** @param now ms since the Unix epoch */
  constructor(private readonly now: () => number) {}

  /** Posts into a container. */
  async post(container: string, text: string, send: () => Promise<string>): Promise<string> {
    const at = this.now();
    const sending = send();
    const all = this.underWay.get(container) ?? new Set();
    this.underWay.set(container, all.add(sending));
    try {
      const id = await sending;
      this.answered(id);
      return id;
    } catch (error) {
      this.unknown.set(container, [...(this.unknown.get(container) ?? []), { text, at }].slice(-MAX_OWN));
      throw error;
    } finally {
      all.delete(sending);
      if (all.size === 0) this.underWay.delete(container);
    }
  }

  /** A message is the persona's own, and its post is over. */
  answered(id: string): void {
    remember(this.own, id);
    remember(this.known, id);
  }

  isAnswered(id: string): boolean {
    return this.known.has(id);
  }

  /** Whether a message is the persona's own; waits for posts under way where only they can tell. */
  async isOwn(message: PortalMessage, name: string): Promise<boolean> {
    const { id, author, createdAt } = message;
    if (this.own.has(id)) return true;
    if (author.kind !== 'user' || !author.bot || author.displayName !== name) return false;
    const container = containerOf(id) ?? message.channelId;
    await Promise.allSettled(this.underWay.get(container) ?? []);
    if (this.own.has(id)) return true;
    const time = Date.parse(createdAt);
    const lost = this.unknown.get(container) ?? [];
    const match = lost.find(({ text, at }) => time >= at - SKEW_MS && isPosted(message, text));
    if (match === undefined) return false;
    this.unknown.set(
      container,
      lost.filter((one) => one !== match),
    );
    remember(this.own, id);
    return true;
  }
}

const remember = (ids: Set<string>, id: string): void => {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > MAX_OWN && oldest !== undefined) ids.delete(oldest);
};

/** Whether a message may be a post of this text: relays put mentions and links before it. */
export const isPosted = ({ content }: PortalMessage, text: string): boolean =>
  text === '' ? content === '' : content.endsWith(text.trimEnd());
