import { Hono } from 'hono';
import { PRESENCE_EVENT, type PresencePayload } from '../feed/snapshot.js';
import { Refusal, unsupportedVersion } from './errors.js';
import { type Delivery, HOST_EVENT_TYPES, hostEventFrame } from './host-events.js';
import { jsonBody } from './json-body.js';
import { RateLimit } from './rate-limit.js';
import { serveSample } from './seams.js';
import type { ServiceContext } from './service-context.js';
import { answerWithStream, frame } from './sse.js';
import { requireStreamMode } from './stream-modes.js';
import { majorOf, VERSIONS } from './versions.js';

/** Test events that a token may cause. */
const TRIGGERS_PER_MINUTE = 60;

const DELIVERIES: readonly Delivery[] = ['durable', 'ephemeral'];

/** What OpenWOP 2 has of presence: paths without a version are its own. */
export const v2Routes = (context: ServiceContext): Hono => {
  const { gate, hostEvents, time } = context;
  const triggers = new RateLimit(TRIGGERS_PER_MINUTE, () => time.monotonic());
  const app = new Hono();
  app.use('*', async (c, next) => {
    const asked = c.req.header('openwop-version');
    if (asked !== undefined && majorOf(asked) !== 2) throw unsupportedVersion();
    c.header('OpenWOP-Version', VERSIONS[2]);
    await next();
  });

  app.get('/host/events', (c) => {
    const caller = gate.callerOf(c);
    const last = c.req.header('last-event-id');
    return answerWithStream(c, context, {
      caller,
      frameOf: presenceEvents(context),
      beside: (say) => {
        for (const event of last === undefined ? [] : hostEvents.after(caller.tenant, last))
          say(event.eventId, hostEventFrame(event));
        return hostEvents.listen(caller.tenant, (event) => say(event.eventId, hostEventFrame(event)));
      },
    });
  });

  app.post('/host/events/test', async (c) => {
    const caller = gate.callerOf(c);
    const { delivery, workspaceId, ...unknown } = await jsonBody(c);
    const meant = DELIVERIES.find((one) => one === delivery);
    if (!meant)
      throw new Refusal('validation_error', `delivery must be ${DELIVERIES.join(' or ')}`, { field: 'delivery' });
    const [field] = Object.keys(unknown);
    if (field !== undefined) throw new Refusal('validation_error', `${field} is not known here`, { field });
    if (workspaceId !== undefined)
      throw new Refusal('not_found', 'there is no such workspace', { field: 'workspaceId' });
    triggers.take(caller.token);
    const { eventId, type } = hostEvents.trigger(caller.tenant, meant);
    return c.json({ eventId, type }, 202);
  });

  /** Runs of OpenWOP 2 have logs, and presence is in none: there are no runs here. */
  app.get('/runs/:runId/events', (c) => {
    gate.callerOf(c);
    requireStreamMode(c);
    throw new Refusal('forbidden', 'there is no run here that you may read');
  });

  app.post('/webhooks', async (c) => {
    gate.callerOf(c);
    const { events } = await jsonBody(c);
    const durable = (type: unknown): boolean =>
      HOST_EVENT_TYPES.some((one) => one.type === type && one.delivery === 'durable');
    const wrong = Array.isArray(events) && events.length > 0 ? events.find((type) => !durable(type)) : 'none';
    if (wrong !== undefined)
      throw new Refusal('validation_error', 'events must name durable host events of this service', {
        field: 'events',
      });
    throw new Refusal('capability_not_provided', 'this service delivers nothing to webhooks; read /host/events');
  });

  serveSample(app, '/conformance/seams/sample/channel-presence/snapshot', context);
  return app;
};

const presenceEvents = ({ newId, now }: ServiceContext): ((payload: PresencePayload) => string) => {
  return (payload) =>
    frame(PRESENCE_EVENT, { eventId: newId(), type: PRESENCE_EVENT, timestamp: now(), delivery: 'ephemeral', payload });
};
