import { describe, expect, it } from 'vitest';
import { fold } from './fold.js';
import type { Action, MessageOccurrence, NoticeOccurrence, StateOccurrence } from './occurrence.js';

const one = (action: Action, text: string, initial = action === 'create'): MessageOccurrence => ({
  kind: 'message',
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

describe('a state', () => {
  const state = (action: 'set' | 'withdraw', text: string, initial = false): StateOccurrence => ({
    kind: 'state',
    action,
    eventId: `${action}:${text}`,
    featureSet: 'f',
    key: 'battery',
    initial,
    timestamp: '2026-01-01T00:00:00Z',
    content: [{ type: 'text', text }],
    tags: [],
    origin: {},
  });

  it('takes the place of the one before, in the name of the first', () => {
    expect(fold(state('set', 'a'), state('set', 'b'))).toEqual({ kind: 'replace', occurrence: state('set', 'b') });
    expect(fold(state('set', 'a', true), state('set', 'b'))).toMatchObject({
      occurrence: { eventId: 'set:a', initial: true, content: [{ text: 'b' }] },
    });
  });

  it('that nobody heard of comes to nothing with its withdrawal; another is only told to be gone', () => {
    expect(fold(state('set', 'a', true), state('withdraw', 'b'))).toEqual({ kind: 'cancel' });
    expect(fold(state('set', 'a'), state('withdraw', 'b'))).toEqual({ kind: 'supersede' });
    expect(fold(state('withdraw', 'a'), state('set', 'b'))).toEqual({ kind: 'keep-both' });
  });
});

it('notices are the host’s to fold', () => {
  const notice: NoticeOccurrence = {
    kind: 'notice',
    eventId: 'n',
    featureSet: 'f',
    key: 'activity',
    initial: false,
    timestamp: '2026-01-01T00:00:00Z',
    content: [{ type: 'text', text: 'something changed' }],
    tags: [],
    origin: {},
  };
  expect(fold(notice, { ...notice, eventId: 'm' })).toEqual({ kind: 'keep-both' });
});
