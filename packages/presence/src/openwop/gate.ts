import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { PresenceFeed } from '../feed/feed.js';
import type { BrowserSessions } from './browser-sessions.js';
import { bearerOf, type Caller, type Callers, hashOf } from './callers.js';
import { strangerHere, unauthenticated } from './errors.js';

export const SESSION_COOKIE = 'mcpl-presence';

/** Who may see what: tokens, and membership as it is at the moment it is asked for. */
export class Gate {
  constructor(
    private readonly callers: () => Callers,
    private readonly sessions: BrowserSessions,
    private readonly feed: PresenceFeed,
  ) {}

  /** @throws Refusal `unauthenticated` */
  callerOf(c: Context): Caller {
    const bearer = bearerOf(c.req.header('authorization'));
    const session = getCookie(c, SESSION_COOKIE);
    const token = bearer === undefined ? session && this.sessions.tokenOf(session) : hashOf(bearer);
    const caller = token === undefined ? undefined : this.callers().get(token);
    if (!caller) throw unauthenticated();
    return caller;
  }

  /** Whether a caller whose token was good is still to be told of a channel. */
  admits(caller: Caller, channelId: string): boolean {
    if (!this.knows(caller)) return false;
    const scope = this.feed.roster.scopeOf(channelId);
    if (scope === undefined || (caller.tenant !== undefined && caller.tenant !== scope)) return false;
    return this.feed.roster.isMember(channelId, caller.id);
  }

  /** Whether a token still says the same. */
  knows({ token, id, tenant }: Caller): boolean {
    const known = this.callers().get(token);
    return known?.id === id && known.tenant === tenant;
  }

  /** @throws Refusal `forbidden`, the same for every channel */
  require(caller: Caller, channelId: string): void {
    if (!this.admits(caller, channelId)) throw strangerHere();
  }
}
