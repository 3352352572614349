import { nanoid } from 'nanoid';

/** How long a browser stays known, ms. */
const LASTS_MS = 12 * 3_600_000;
const MOST = 1000;

/**
 * `EventSource` sends no headers: a page shows its token once and is known by a cookie from then on. In memory only.
 */
export class BrowserSessions {
  private readonly sessions = new Map<string, { token: string; until: number }>();

  /** @param now monotonic, ms */
  constructor(private readonly now: () => number) {}

  /** @returns what the cookie holds */
  begin(token: string): string {
    const [oldest] = this.sessions.keys();
    if (this.sessions.size >= MOST && oldest !== undefined) this.sessions.delete(oldest);
    const id = nanoid(32);
    this.sessions.set(id, { token, until: this.now() + LASTS_MS });
    return id;
  }

  end(id: string): void {
    this.sessions.delete(id);
  }

  tokenOf(id: string): string | undefined {
    const session = this.sessions.get(id);
    if (session && session.until > this.now()) return session.token;
    this.sessions.delete(id);
    return undefined;
  }
}
