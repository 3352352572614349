import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { jsonSchemaOf, PUBLISHED } from './schemas.js';

type Name = keyof typeof PUBLISHED;
const names = Object.keys(PUBLISHED) as Name[];
const fileOf = (name: Name): string => new URL(`../../schemas/${name}.schema.json`, import.meta.url).pathname;

const payload = { conversationId: 'chan-eng', present: ['user:alice', 'agent:iris'], typing: ['user:alice'] };
const at = '2026-01-01T00:00:00.000Z';
const event = { eventId: 'hev-01J9ZK3Q8W2M4N6P', type: 'channel.presence', timestamp: at, payload };

const GOOD: Readonly<Record<Name, readonly unknown[]>> = {
  'channel-presence-payload': [payload, { conversationId: 'c', present: [] }],
  'channel-presence-run-event': [{ ...event, runId: 'chan-eng', sequence: 0 }],
  'channel-presence-host-event': [{ ...event, delivery: 'ephemeral' }],
  'channel-presence-capability': [{ supported: true }],
  'error-envelope': [
    { error: 'forbidden', message: 'no' },
    { error: 'e', message: 'm', details: { supported: [] } },
  ],
};

const BAD: Readonly<Record<Name, readonly unknown[]>> = {
  'channel-presence-payload': [
    { conversationId: 'c', present: ['user:a'], ip: '10.0.0.1' },
    { present: ['user:a'] },
    { conversationId: 'c' },
    { conversationId: '', present: [] },
    { conversationId: 'c'.repeat(257), present: [] },
    { conversationId: 'c', present: ['alice'] },
    { conversationId: 'c', present: ['user:'] },
    { conversationId: 'c', present: ['user:two words'] },
    { conversationId: 'c', present: ['user:a', 'user:a'] },
    { conversationId: 'c', present: [`user:${'a'.repeat(252)}`] },
  ],
  'channel-presence-run-event': [
    { ...event, runId: 'chan-eng' },
    { ...event, runId: 'chan-eng', sequence: -1 },
    { ...event, runId: 'chan-eng', sequence: 0, names: [] },
  ],
  'channel-presence-host-event': [
    { ...event, delivery: 'durable' },
    { ...event, delivery: 'ephemeral', runId: 'r' },
    { ...event, delivery: 'ephemeral', sequence: 1 },
    { ...event, delivery: 'ephemeral', eventId: 'short' },
  ],
  'channel-presence-capability': [{}, { supported: true, typing: true }],
  'error-envelope': [{ error: 'e' }, { error: 'e', message: 'm', supported: [] }],
};

describe.each(names)('the schema %s', (name) => {
  const ajv = addFormats.default(new Ajv2020({ strict: true, strictTypes: false }));

  it('is published as it is used', () =>
    expect(JSON.parse(readFileSync(fileOf(name), 'utf8'))).toEqual(jsonSchemaOf(name)));

  it('takes what is right, as JSON Schema and here', () => {
    const isValid = ajv.compile(jsonSchemaOf(name) as object);
    for (const value of GOOD[name])
      expect([isValid(value), PUBLISHED[name].safeParse(value).success]).toEqual([true, true]);
  });

  it('refuses what is not, as JSON Schema and here', () => {
    const isValid = ajv.compile(jsonSchemaOf(name) as object);
    for (const value of BAD[name])
      expect([value, isValid(value), PUBLISHED[name].safeParse(value).success]).toEqual([value, false, false]);
  });
});

it('whoever is typing is present: the one rule that JSON Schema has no words for', () => {
  const wrong = { conversationId: 'c', present: ['user:a'], typing: ['user:b'] };
  expect(PUBLISHED['channel-presence-payload'].safeParse(wrong).success).toBe(false);
});
