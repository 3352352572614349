import type { PortalMessage } from '@mcpl-bridges/portal-client';

/** What is kept in mind of a message. */
export interface Glimpse {
  readonly authorName: string;
  readonly text: string;
  /** As the relay has it. */
  readonly createdAt: string;
}

const MAX = 2000;

/** Keeps the latest messages in mind: who wrote what, for replies to it. */
export class Recent {
  private readonly glimpses = new Map<string, Glimpse>();

  put({ id, author, cleanContent, createdAt }: PortalMessage): void {
    this.glimpses.delete(id);
    const authorName = author.kind === 'system' ? 'Discord' : author.displayName;
    this.glimpses.set(id, { authorName, text: cleanContent, createdAt });
    const [oldest] = this.glimpses.keys();
    if (this.glimpses.size > MAX && oldest !== undefined) this.glimpses.delete(oldest);
  }

  get(id: string): Glimpse | undefined {
    return this.glimpses.get(id);
  }
}
