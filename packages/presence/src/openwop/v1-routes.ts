import { type Context, Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { PRESENCE_EVENT, type PresencePayload } from '../feed/snapshot.js';
import { bearerOf, type Caller } from './callers.js';
import { Refusal, unauthenticated } from './errors.js';
import { SESSION_COOKIE } from './gate.js';
import { jsonBody } from './json-body.js';
import { sampleSnapshot } from './seams.js';
import type { ServiceContext } from './service-context.js';
import { answerWithStream, frame } from './sse.js';
import { VERSIONS } from './versions.js';

/** Those of OpenWOP's stream modes that say something here. */
const STREAM_MODES = ['updates', 'debug'];

/** @throws Refusal `unsupported_stream_mode` */
export const requireStreamMode = (c: Context): void => {
  const mode = c.req.query('streamMode') ?? 'updates';
  if (!STREAM_MODES.includes(mode))
    throw new Refusal('unsupported_stream_mode', `streamMode ${JSON.stringify(mode)} is not served`, {
      supported: STREAM_MODES,
    });
};

/** What OpenWOP 1 has of presence. Every path is under `/v1`. */
export const v1Routes = (context: ServiceContext): Hono => {
  const { gate, sessions, seams, emits } = context;
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
    const caller = bearerOf(c.req.header('authorization')) === undefined ? undefined : gate.callerOf(c);
    if (!caller) throw unauthenticated();
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

  if (seams)
    app.post('/host/sample/channel-presence/snapshot', async (c) => {
      gate.callerOf(c);
      return c.json(sampleSnapshot(await jsonBody(c)));
    });
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
