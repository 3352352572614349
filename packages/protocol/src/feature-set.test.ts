import { expect, it } from 'vitest';
import { checkUses, matchesFeatureSet } from './feature-set.js';

it.each([
  ['absent', {}],
  ['empty', { uses: [] }],
  ['no list', { uses: 'tools' }],
  ['unknown', { uses: ['tools', 'channels'] }],
  ['a wildcard', { uses: ['channels.*'] }],
  ['not even text', { uses: [1] }],
  ['of no declaration', null],
])('uses that are %s make a declaration invalid', (_how, declaration) => {
  expect(checkUses(declaration).kind).toBe('invalid_uses');
});

it('names the path it does not know', () => {
  expect(checkUses({ uses: ['tools', 'channels.observe'] })).toMatchObject({
    reason: expect.stringContaining('channels.observe'),
  });
});

it('accepts every path of the vocabulary', () => {
  expect(checkUses({ uses: ['tools', 'inferenceRequest', 'inferenceRequest.streaming', 'channels.typing'] }).kind).toBe(
    'valid',
  );
});

it('selects feature sets by whole segments', () => {
  expect(matchesFeatureSet('discord.*', 'discord.messaging')).toBe(true);
  expect(matchesFeatureSet('*', 'discord.messaging')).toBe(false);
});
