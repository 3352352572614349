import { expect, it } from 'vitest';
import { type ChatMessage, isAddressed } from '../message.js';
import { LoopGuard } from './loop-guard.js';

const said = (kind: ChatMessage['author']['kind'], channelId = 'c'): ChatMessage => ({
  channelId,
  messageId: '1',
  author: { id: 'x', name: 'x', kind },
  text: 'hello',
  attachments: [],
  inserts: [],
  addressing: { mention: true, replyToAgent: false, broadcast: false, direct: false },
  inThread: false,
  createdAt: '2026-01-01T11:59:00.000000Z',
  origin: {},
});

it('bots address the agent so often in a row, and again when a person spoke or after a pause; people always do', () => {
  const loops: string[] = [];
  const guard = new LoopGuard({ turns: 2, pauseMs: 1000 }, (channelId) => loops.push(channelId));
  const hear = (message: ChatMessage, now = 0): boolean => isAddressed(guard.hear(message, now).addressing);
  expect([1, 2, 3, 4].map(() => hear(said('bot')))).toEqual([true, true, false, false]);
  expect(hear(said('bot', 'elsewhere'))).toBe(true);
  expect(loops).toEqual(['c']);
  expect(hear(said('human'))).toBe(true);
  expect([1, 2, 3].map(() => hear(said('bot')))).toEqual([true, true, false]);
  expect(hear(said('bot'), 999)).toBe(false);
  expect(hear(said('bot'), 1999)).toBe(true);
  expect(hear(said('webhook'), 1999)).toBe(true);
});
