import { describe, expect, it } from 'vitest';
import { capabilityOf, type McplMethod, METHODS } from './methods.js';
import { degradationReceipt, policyContradiction } from './policy.js';
import { publishTargetProblem } from './publish.js';

const message = {
  channelId: 'c',
  messageId: 'm',
  author: { id: 'u', name: 'alice' },
  timestamp: '2026-01-23T10:30:00Z',
  content: 'hello',
};
const push = {
  featureSet: 'f',
  eventId: 'e',
  timestamp: '2026-01-23T10:30:00.123456+00:00',
  payload: { content: [{ type: 'text', text: 'x' }] },
};
const revision = `sha256:${'A'.repeat(43)}`;

/** For each method params that fit, and params that do not. */
const SAMPLES: Record<McplMethod, { fits: unknown; wrong: unknown }> = {
  'push/event': { fits: push, wrong: { ...push, timestamp: 'yesterday' } },
  'push/render': {
    fits: {
      featureSet: 'f',
      key: 'k',
      eventId: 'e',
      notices: [{ eventId: 'n', timestamp: '2026-01-01T00:00:00Z', data: { a: 1 } }],
      dropped: 0,
    },
    wrong: { featureSet: 'f', key: 'k', eventId: 'e', notices: [], dropped: -1 },
  },
  'featureSets/update': { fits: { effectiveCapabilities: ['tools'] }, wrong: { effectiveCapabilities: 'tools' } },
  'mcpl/manifest': { fits: {}, wrong: null },
  'mcpl/manifestChanged': {
    fits: { revision, domains: ['featureSets'] },
    wrong: { revision, domains: ['featureSets'], added: [] },
  },
  'channels/register': { fits: { channels: [{ any: 'thing' }] }, wrong: { channels: {} } },
  'channels/changed': { fits: { removed: ['c'] }, wrong: { removed: 'c' } },
  'channels/list': { fits: {}, wrong: null },
  'channels/open': { fits: { type: 'discord', address: { guild: 'g' } }, wrong: {} },
  'channels/close': { fits: { channelId: 'c' }, wrong: { channelId: '' } },
  'channels/incoming': { fits: { messages: [message] }, wrong: { messages: message } },
  'channels/publish': {
    fits: { channelId: 'c', threadId: null, content: 'hi' },
    wrong: { channelId: 'c', threadId: 7, content: 'hi' },
  },
  'channels/outgoing/chunk': {
    fits: { inferenceId: 'i', channelId: 'c', index: 0, delta: 'x' },
    wrong: { inferenceId: 'i', channelId: 'c', index: -1, delta: 'x' },
  },
  'channels/outgoing/complete': {
    fits: { inferenceId: 'i', channelId: 'c', content: 'x' },
    wrong: { inferenceId: 'i', channelId: 'c' },
  },
  'channels/acknowledge': { fits: { channelId: 'c', messageId: 'm' }, wrong: { channelId: 'c' } },
  'channels/typing': { fits: { channelId: 'c', op: 'stop' }, wrong: { channelId: 'c', op: 'pause' } },
  'inference/request': {
    fits: { featureSet: 'f', messages: [{ role: 'user', content: 'x' }] },
    wrong: { messages: [] },
  },
  'inference/lifecycle': {
    fits: { inferenceId: 'i', conversationId: 'c', turnIndex: 0, phase: 'started' },
    wrong: { inferenceId: 'i', conversationId: 'c', turnIndex: 0, phase: 'done' },
  },
  'model/info': { fits: {}, wrong: null },
};

describe.each(Object.entries(SAMPLES))('%s', (method, { fits, wrong }) => {
  const { params } = METHODS[method as McplMethod];
  it('accepts what the specification describes', () => {
    expect(params.safeParse(fits).success).toBe(true);
  });
  it('refuses what it does not', () => {
    expect(params.safeParse(wrong).success).toBe(false);
  });
});

describe('the pieces of methods', () => {
  it('lets members nobody knows pass through', () => {
    expect(METHODS['push/event'].params.parse({ ...push, future: { x: 1 } })).toMatchObject({ future: { x: 1 } });
  });

  it('takes images by data with a type, or by uri, and by nothing less', () => {
    const accepts = (block: unknown): boolean =>
      METHODS['push/event'].params.safeParse({ ...push, payload: { content: [block] } }).success;
    expect(accepts({ type: 'image', data: 'AA==', mimeType: 'image/png' })).toBe(true);
    expect(accepts({ type: 'image', uri: 'https://x/y.png' })).toBe(true);
    expect(accepts({ type: 'image', data: 'AA==' })).toBe(false);
    expect(accepts({ type: 'video', uri: 'x' })).toBe(false);
  });

  it('wants a fallback in every refusal and an effect in every degradation', () => {
    expect(degradationReceipt.safeParse({ accepted: false, reason: 'no' }).success).toBe(false);
    expect(degradationReceipt.safeParse({ accepted: false, fallback: 'mcp-only' }).success).toBe(true);
    const entry = { featureSet: 'f', missingCapabilities: ['tools'] };
    expect(
      degradationReceipt.safeParse({ accepted: true, mode: 'degraded', unavailableFeatures: [entry] }).success,
    ).toBe(false);
  });

  it('finds a policy that grants what it denies', () => {
    expect(
      policyContradiction({ effectiveCapabilities: ['channels.*'], deniedCapabilities: ['channels.publish'] })?.field,
    ).toBe('deniedCapabilities');
    expect(
      policyContradiction({ effectiveCapabilities: ['tools'], deniedCapabilities: ['pushEvents'] }),
    ).toBeUndefined();
  });

  it('places a post at the root of a root channel, and nowhere else', () => {
    expect(publishTargetProblem('root', 't')?.field).toBe('threadId');
    expect(publishTargetProblem('root', null)).toBeUndefined();
    expect(publishTargetProblem('root', undefined)).toBeUndefined();
    expect(publishTargetProblem('exact', 't')).toBeUndefined();
  });

  it('ties methods to capabilities, and leaves the manifest free', () => {
    expect(capabilityOf('channels/changed')).toBe('channels.register');
    expect(capabilityOf('channels/outgoing/chunk')).toBe('channels.streaming');
    expect(capabilityOf('mcpl/manifestChanged')).toBeUndefined();
  });
});
