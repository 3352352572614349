import { describe, expect, it } from 'vitest';
import { advertisedPaths, isGranted, matchesPath } from './capability.js';

describe('a capability pattern', () => {
  it.each([
    ['channels.*', 'channels.publish', true],
    ['channels.*', 'channels.publish.anything', false],
    ['channels.*', 'channels', false],
    ['contextHooks.*', 'contextHooks.beforeInference.inject.system', false],
    ['contextHooks.*.inject.*', 'contextHooks.beforeInference.inject.system', true],
    ['*', 'pushEvents', true],
    ['*', 'channels.publish', false],
    ['channels', 'channels.publish', false],
    ['channels.publish', 'channels.publish', true],
  ])('%s over %s: %s', (pattern, path, covers) => {
    expect(matchesPath(pattern, path)).toBe(covers);
  });

  it('grants nothing by being absent', () => {
    expect(isGranted([], 'pushEvents')).toBe(false);
  });
});

describe('an advertisement', () => {
  it('takes true at a node for every leaf beneath it', () => {
    expect(advertisedPaths({ channels: true }, false)).toEqual([
      'channels.register',
      'channels.lifecycle',
      'channels.publish',
      'channels.incoming',
      'channels.streaming',
      'channels.acknowledge',
      'channels.typing',
    ]);
  });

  it('takes false and absence for none, and tools from outside', () => {
    const advert = { pushEvents: false, channels: { publish: true, typing: false } };
    expect(advertisedPaths(advert, false)).toEqual(['channels.publish']);
    expect(advertisedPaths(advert, true)).toEqual(['tools', 'channels.publish']);
  });

  it('reads the hook leaves one by one', () => {
    const inject = { system: false, beforeUser: true, afterUser: true };
    expect(advertisedPaths({ contextHooks: { beforeInference: { observe: true, inject } } }, false)).toEqual([
      'contextHooks.beforeInference.observe',
      'contextHooks.beforeInference.inject.beforeUser',
      'contextHooks.beforeInference.inject.afterUser',
    ]);
  });
});
