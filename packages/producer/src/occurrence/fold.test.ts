import { expect, it } from 'vitest';
import { fold } from './fold.js';
import type { Action, Occurrence } from './occurrence.js';

const one = (action: Action, text: string, initial = action === 'create'): Occurrence => ({
  eventId: `${action}:${text}`,
  action,
  channelId: 'c',
  messageId: '1',
  key: 'message:1',
  initial,
  featureSet: 'f',
  author: { id: 'u', name: 'alice' },
  timestamp: '2026-01-01T00:00:00Z',
  content: [{ type: 'text', text }],
  tags: [text],
  origin: { text },
});

it('a create takes up its edit and stays the create', () => {
  expect(fold(one('create', 'a'), one('edit', 'b'))).toEqual({
    kind: 'replace',
    occurrence: { ...one('create', 'a'), content: [{ type: 'text', text: 'b' }], tags: ['b'], origin: { text: 'b' } },
  });
});

it('a create and its delete come to nothing', () => {
  expect(fold(one('create', 'a'), one('delete', 'b'))).toEqual({ kind: 'cancel' });
});

it('so does an edit that was the first to be told', () => {
  expect(fold(one('edit', 'a', true), one('delete', 'b'))).toEqual({ kind: 'cancel' });
});

it('the last of two edits is sent', () => {
  expect(fold(one('edit', 'a'), one('edit', 'b'))).toEqual({ kind: 'replace', occurrence: one('edit', 'b') });
});

it('a first edit keeps being the first when edited again', () => {
  expect(fold(one('edit', 'a', true), one('edit', 'b'))).toMatchObject({
    kind: 'replace',
    occurrence: { eventId: 'edit:a', initial: true, content: [{ text: 'b' }] },
  });
});

it('a delete supersedes an edit, and nothing follows into a delete', () => {
  expect(fold(one('edit', 'a'), one('delete', 'b'))).toEqual({ kind: 'supersede' });
  expect(fold(one('delete', 'a'), one('create', 'b'))).toEqual({ kind: 'keep-both' });
});
