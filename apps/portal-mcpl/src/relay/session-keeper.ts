import type { Login, SessionPoint } from '@mcpl-bridges/portal-client';
import type { Producer } from '@mcpl-bridges/producer';
import { z } from 'zod';
import type { Self } from './normalise.js';

const KEY = 'portal-session';

const kept = z.object({
  url: z.string(),
  self: z.object({ personaId: z.string(), name: z.string() }),
  session: z.object({ id: z.string(), seq: z.number() }),
});
type Kept = z.infer<typeof kept>;

/**
 * Keeps where a session is, behind what has happened in it: records are stored in the order in which they are handed over,
 * so that after a crash events come again rather than not at all.
 */
export class SessionKeeper {
  private last = '';
  private next: Kept | undefined;
  private isKeeping = false;

  constructor(
    private readonly producer: Pick<Producer, 'recall' | 'remember'>,
    private readonly url: string,
    private readonly login: Login,
  ) {}

  /** Where an earlier process was, with the same relay and as the same persona. */
  async kept(): Promise<Kept | undefined> {
    const read = kept.safeParse(await this.producer.recall(KEY));
    if (!read.success || read.data.url !== this.url) return undefined;
    const { login } = this;
    return login.kind === 'credentials' && login.credentials.personaId === read.data.self.personaId
      ? read.data
      : undefined;
  }

  /** One write is under way at a time; the latest waits. */
  changed(session: SessionPoint | undefined, self: Self): void {
    if (!session) return;
    this.next = { url: this.url, self, session };
    if (!this.isKeeping) void this.keep();
  }

  private async keep(): Promise<void> {
    this.isKeeping = true;
    while (this.next) {
      const { next } = this;
      this.next = undefined;
      const text = JSON.stringify(next);
      if (text !== this.last) await this.producer.remember([{ key: KEY, value: next }]).catch(() => {});
      this.last = text;
    }
    this.isKeeping = false;
  }
}
