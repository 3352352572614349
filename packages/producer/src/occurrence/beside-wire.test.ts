import { ALL_LEAVES } from '@mcpl-bridges/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { besideWire, withWire } from './beside-wire.js';
import type { Occurrence } from './occurrence.js';
import { type Sendable, toWire } from './wire-form.js';

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const facts = {
  eventId: fc.string(),
  featureSet: fc.string(),
  timestamp: fc.string(),
  content: fc.array(fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'binary' }) })),
  tags: fc.array(fc.string()),
  origin: fc.dictionary(fc.string(), fc.jsonValue()),
};
const ofSubject = { ...facts, key: fc.string(), initial: fc.boolean(), channelId: maybe(fc.string()) };

const message = fc.record({
  ...ofSubject,
  kind: fc.constant('message'),
  action: fc.constantFrom('create', 'edit', 'delete'),
  channelId: fc.string(),
  messageId: fc.string(),
  author: fc.record({ id: fc.string(), name: fc.string() }),
  threadId: maybe(fc.string()),
});
const state = fc.record({ ...ofSubject, kind: fc.constant('state'), action: fc.constantFrom('set', 'withdraw') });
const notice = fc.record({ ...ofSubject, kind: fc.constant('notice'), data: maybe(fc.jsonValue()) });
const event = fc.record({ ...facts, kind: fc.constant('event') });

const PUSHES: readonly Sendable[] = [{ kind: 'channel-push' }, { kind: 'set-push' }];
const ANY: readonly Sendable[] = [{ kind: 'ordinary-push' }, { kind: 'channel-notification' }];
const INCOMING: readonly Sendable[] = [
  { kind: 'incoming', coalesce: true },
  { kind: 'incoming', coalesce: false },
];

it('an occurrence is whole again from any of its wire forms and what those do not say', () => {
  fc.assert(
    fc.property(fc.oneof(message, state, notice, event), (drawn) => {
      const occurrence = drawn as Occurrence;
      const routes = [
        ...ANY,
        ...(occurrence.kind === 'event' ? [] : PUSHES),
        ...(occurrence.kind === 'message' ? INCOMING : []),
      ];
      for (const route of routes) {
        const wire = toWire(occurrence, route, ALL_LEAVES);
        const beside = JSON.parse(JSON.stringify(besideWire(occurrence, wire)));
        expect(withWire(beside, wire)).toEqual(JSON.parse(JSON.stringify(occurrence)));
      }
    }),
    { verbose: 1 },
  );
});
