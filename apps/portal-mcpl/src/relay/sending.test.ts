import type { PortalMessage } from '@mcpl-bridges/portal-client';
import { describe, expect, it } from 'vitest';
import { Sending } from './sending.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');

const message = (about: Partial<PortalMessage> = {}): PortalMessage => ({
  id: 'rm_1_10',
  nativeId: '10',
  channelId: '1',
  guildId: '5',
  author: { kind: 'user', userId: '7', username: 'Ada', displayName: 'Ada', bot: true },
  content: 'hello',
  cleanContent: 'hello',
  attachments: [],
  mentions: { personas: [], roles: [], users: [], everyone: false },
  reactions: [],
  createdAt: '2026-01-01T12:00:00.000Z',
  ...about,
});

const setUp = () => new Sending(() => NOW);

describe('what looks like a post of one’s own', () => {
  it('is held until the post is answered, and is it by its id', async () => {
    const sending = setUp();
    let answer: (id: string) => void = () => {};
    const posting = sending.post('1', 'hello', () => new Promise((resolve) => (answer = resolve)));
    const own = sending.isOwn(message(), 'Ada');
    const other = sending.isOwn(message({ id: 'rm_1_11' }), 'Ada');
    answer('rm_1_10');
    expect(await posting).toBe('rm_1_10');
    expect([await own, await other]).toEqual([true, false]);
    expect([sending.isAnswered('rm_1_10'), sending.isAnswered('rm_1_11')]).toEqual([true, false]);
  });

  it('whose answer was lost is it by text, name and time, once', async () => {
    const sending = setUp();
    await sending.post('1', 'hello', () => Promise.reject(new Error('lost'))).catch(() => {});
    expect(await sending.isOwn(message({ content: 'hello there' }), 'Ada')).toBe(false);
    expect(await sending.isOwn(message({ createdAt: '2026-01-01T11:59:00.000Z' }), 'Ada')).toBe(false);
    expect(await sending.isOwn(message({ id: 'rm_2_10' }), 'Ada')).toBe(false);
    expect(await sending.isOwn(message({ content: '<@&9> hello' }), 'Ada')).toBe(true);
    expect(await sending.isOwn(message({ id: 'rm_1_12' }), 'Ada')).toBe(false);
    expect(sending.isAnswered('rm_1_10')).toBe(false);
  });

  it('of people, personas and others is not looked at twice', async () => {
    const sending = setUp();
    void sending.post('1', 'hello', () => new Promise(() => {}));
    const authors: PortalMessage['author'][] = [
      { kind: 'user', userId: '7', username: 'Ada', displayName: 'Ada', bot: false },
      { kind: 'user', userId: '7', username: 'Eve', displayName: 'Eve', bot: true },
      { kind: 'persona', personaId: 'p', displayName: 'Ada', avatarUrl: '' },
      { kind: 'system' },
    ];
    for (const author of authors) expect(await sending.isOwn(message({ author }), 'Ada')).toBe(false);
  });
});
