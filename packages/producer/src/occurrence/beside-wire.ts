import { CHANNEL_NOTIFICATION } from '../session/channel-notifications.js';
import type { Occurrence } from './occurrence.js';
import type { WireForm } from './wire-form.js';

type Members = Readonly<Record<string, unknown>>;

/** Members of an occurrence that a wire form repeats as they are, by the way to them in its body. */
type Repeated = ReadonlyMap<string, readonly string[]>;

const REPEATED: Readonly<Record<WireForm['method'], Repeated>> = {
  'channels/incoming': new Map([
    ['channelId', ['channelId']],
    ['messageId', ['messageId']],
    ['threadId', ['threadId']],
    ['author', ['author']],
    ['timestamp', ['timestamp']],
    ['content', ['content']],
    ['tags', ['tags']],
    ['origin', ['metadata']],
    ['eventId', ['eventId']],
  ]),
  'push/event': new Map([
    ['featureSet', ['featureSet']],
    ['eventId', ['eventId']],
    ['timestamp', ['timestamp']],
    ['tags', ['tags']],
    ['content', ['payload', 'content']],
  ]),
  [CHANNEL_NOTIFICATION]: new Map(),
};

/** What `occurrence` says and `wire`, which `toWire` has made of it, does not. */
export const besideWire = (occurrence: Occurrence, { method }: WireForm): Members => {
  const repeated = REPEATED[method];
  const beside: Record<string, unknown> = {};
  for (const name in occurrence) if (!repeated.has(name)) beside[name] = occurrence[name as keyof Occurrence];
  return beside;
};

/** The occurrence of which `besideWire` has said `beside`. */
export const withWire = (beside: Members, { method, body }: WireForm): Occurrence => {
  const form = JSON.parse(body) as Members;
  const found = [...REPEATED[method]].map(([name, way]) => [
    name,
    way.reduce<unknown>((at, step) => (at as Members | undefined)?.[step], form),
  ]);
  return {
    ...beside,
    ...Object.fromEntries(found.filter(([, value]) => value !== undefined)),
  } as unknown as Occurrence;
};
