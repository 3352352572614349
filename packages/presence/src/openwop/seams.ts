import type { Hono } from 'hono';
import { type PresencePayload, payloadOf } from '../feed/snapshot.js';
import { SubjectRefs } from '../refs.js';
import { PresenceTracker } from '../tracker/tracker.js';
import { Refusal, strangerHere } from './errors.js';
import { jsonBody } from './json-body.js';
import { channelPresencePayload } from './schemas.js';
import type { ServiceContext } from './service-context.js';

const REF = /^(user|agent):(\S+)$/;

const idOf = (ref: unknown, name: string): string => {
  const id = typeof ref === 'string' ? REF.exec(ref)?.[2] : undefined;
  if (id === undefined)
    throw new Refusal('validation_error', `${name} must be user:<id> or agent:<id>`, { field: name });
  return id;
};

/**
 * The snapshot that a public conformance suite asks for: in a room of its own, which `member` joins for this moment, by the
 * same tracker, gate and payload as everywhere.
 * @throws Refusal `validation_error`; `forbidden` for an observer who is no member
 */
const sampleSnapshot = (body: Readonly<Record<string, unknown>>): PresencePayload => {
  const { conversationId, member, observer = member } = body;
  if (typeof conversationId !== 'string' || conversationId === '' || conversationId.length > 256)
    throw new Refusal('validation_error', 'conversationId must have 1 to 256 characters', { field: 'conversationId' });
  const memberId = idOf(member, 'member');
  const isMember = (userId: string): boolean => userId === memberId;
  if (!isMember(idOf(observer, 'observer'))) throw strangerHere();
  const tracker = new PresenceTracker();
  const scope = 'sample';
  tracker.tell({ kind: 'census', scope, statuses: [[memberId, 'online']] }, 0);
  const isAgent = String(member).startsWith('agent:');
  const selfId = isAgent ? memberId : undefined;
  const view = tracker.look({ channelId: conversationId, scope, selfId, isMember });
  const refs = new SubjectRefs({ key: new Uint8Array(16), platform: 'sample', use: 'sample', raw: true });
  const payload = payloadOf(conversationId, view, { refs, scope, isAgent: () => isAgent });
  return channelPresencePayload.parse(payload) as PresencePayload;
};

/** Serves the sample at a path, where the operator has switched samples on. */
export const serveSample = (app: Hono, path: string, { gate, seams }: ServiceContext): void => {
  if (!seams) return;
  app.post(path, async (c) => {
    gate.callerOf(c);
    return c.json(sampleSnapshot(await jsonBody(c)));
  });
};
