import { Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { PRESENCE_EVENT, type PresencePayload } from '../feed/snapshot.js';
import { bearerOf, type Caller } from './callers.js';
import { Refusal, unauthenticated } from './errors.js';
import { SESSION_COOKIE } from './gate.js';
import { serveSample } from './seams.js';
import type { ServiceContext } from './service-context.js';
import { answerWithStream, frame } from './sse.js';
import { requireStreamMode } from './stream-modes.js';
import { VERSIONS } from './versions.js';

/** What OpenWOP 1 has of presence. Every path is under `/v1`. */
export const v1Routes = (context: ServiceContext): Hono => {
  const { gate, sessions, emits } = context;
  const app = new Hono();
  app.use('*', async (c, next) => {
    const asked = c.req.header('openwop-version');
    if (asked !== undefined && !/^1(\.\d+)?$/.test(asked.trim()))
      throw new Refusal('protocol_version_mismatch', `paths under /v1 are OpenWOP 1, not ${asked}`);
    c.header('OpenWOP-Version', VERSIONS[1]);
    await next();
  });

  // Before anything is known everybody waits, for channels that there are and for those that there are not.
  const requireMembership = (caller: Caller, channelId: string): void => {
    if (emits()) gate.require(caller, channelId);
  };

  app.get('/host/mcpl-bridges/channels/:conversationId/presence', (c) => {
    const caller = gate.callerOf(c);
    const channelId = c.req.param('conversationId');
    requireMembership(caller, channelId);
    return answerWithStream(c, context, { caller, channelId, frameOf: (payload) => frame(PRESENCE_EVENT, payload) });
  });

  app.get('/runs/:conversationId/events', (c) => {
    const caller = gate.callerOf(c);
    requireStreamMode(c);
    const channelId = c.req.param('conversationId');
    requireMembership(caller, channelId);
    return answerWithStream(c, context, { caller, channelId, frameOf: runEvents(context) });
  });

  /** A page shows its token once, for `EventSource` sends none. */
  app.post('/host/mcpl-bridges/session', (c) => {
    if (bearerOf(c.req.header('authorization')) === undefined) throw unauthenticated();
    const caller = gate.callerOf(c);
    const secure = c.req.header('x-forwarded-proto') === 'https';
    const id = sessions.begin(caller.token);
    setCookie(c, SESSION_COOKIE, id, { httpOnly: true, sameSite: 'Strict', path: '/', secure });
    return c.body(null, 204);
  });
  app.delete('/host/mcpl-bridges/session', (c) => {
    sessions.end(getCookie(c, SESSION_COOKIE) ?? '');
    deleteCookie(c, SESSION_COOKIE, { path: '/' });
    return c.body(null, 204);
  });

  serveSample(app, '/host/sample/channel-presence/snapshot', context);
  return app;
};

/** Snapshots as a run's events. Their numbers are the stream's own: there is no log that they would be in. */
const runEvents = ({ newId, now }: ServiceContext): ((payload: PresencePayload) => string) => {
  let sequence = 0;
  return (payload) => {
    const { conversationId: runId } = payload;
    return frame(PRESENCE_EVENT, {
      eventId: newId(),
      runId,
      type: PRESENCE_EVENT,
      payload,
      timestamp: now(),
      sequence: sequence++,
    });
  };
};
