import type { GatewayMessageCreateDispatchData } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { type Place, toChatMessage } from './normalise.js';

const SELF = { id: '9', roleIds: ['77'] };
const PLACE: Place = {
  channelId: 'discord:1:2',
  guildId: '1',
  guildName: 'Home',
  channelName: 'general',
  isThread: false,
};
const NAMES = {
  role: (id: string) => (id === '77' ? 'agent' : undefined),
  channel: (id: string) => (id === '2' ? 'general' : undefined),
};
const user = (id: string, username: string, extra = {}) => ({
  id,
  username,
  global_name: null,
  discriminator: '0',
  avatar: null,
  ...extra,
});

const packet = (extra: Record<string, unknown> = {}): GatewayMessageCreateDispatchData =>
  ({
    id: '5',
    channel_id: '2',
    guild_id: '1',
    author: user('3', 'alice'),
    content: 'hello',
    timestamp: '2026-01-01T10:00:00.123000+00:00',
    edited_timestamp: null,
    mentions: [],
    mention_roles: [],
    mention_everyone: false,
    attachments: [],
    ...extra,
  }) as unknown as GatewayMessageCreateDispatchData;
const read = (extra: Record<string, unknown> = {}, place = PLACE) => toChatMessage(packet(extra), place, SELF, NAMES);

describe('a packet of Discord', () => {
  it('names people as the server does: nickname, then display name, then username', () => {
    expect(read().author.name).toBe('alice');
    expect(read({ author: user('3', 'alice', { global_name: 'Alice A.' }) }).author.name).toBe('Alice A.');
    expect(read({ member: { nick: 'Al' }, author: user('3', 'alice', { global_name: 'Alice A.' }) }).author.name).toBe(
      'Al',
    );
  });

  it('tells humans, bots, webhooks and the agent itself apart', () => {
    expect(read().author.kind).toBe('human');
    expect(read({ author: user('4', 'bot', { bot: true }) }).author.kind).toBe('bot');
    expect(read({ webhook_id: '6', author: user('6', 'hook', { bot: true }) }).author).toEqual({
      id: '6',
      name: 'hook',
      kind: 'webhook',
    });
    expect(read({ author: user('9', 'agent', { bot: true }) }).author.kind).toBe('self');
  });

  it('shows mentions by name and knows which of them mean the agent', () => {
    const mentioned = read({
      content: '<@9> see <#2> and <@3>, <@&77>',
      mentions: [user('9', 'agent'), user('3', 'alice')],
      mention_roles: ['77'],
    });
    expect(mentioned.text).toBe('@agent see #general and @alice, @agent');
    expect(mentioned.addressing).toEqual({ mention: true, replyToAgent: false, broadcast: false, direct: false });
    expect(read({ content: 'hi <@&77>', mention_roles: ['77'] }).origin).toMatchObject({
      isMention: true,
      isExplicitMention: false,
    });
    expect(read({ mention_everyone: true }).addressing).toMatchObject({ mention: false, broadcast: true });
    expect(read({ content: 'a word <@99999>' }).text).toBe('a word <@99999>');
  });

  it('takes a reply to the agent for one, and a forward for none', () => {
    const reference = { message_id: '4', channel_id: '2' };
    const reply = read({ message_reference: reference, referenced_message: packet({ author: user('9', 'agent') }) });
    expect(reply.addressing.replyToAgent).toBe(true);
    expect(reply.replyTo).toEqual({ messageId: '4', authorName: 'agent', text: 'hello' });
    expect(read({ message_reference: { ...reference, type: 1 } }).replyTo).toBeUndefined();
  });

  it('keeps microseconds, with the same number of digits whatever Discord leaves out', () => {
    expect(read({ edited_timestamp: '2026-01-01T10:00:01.5+00:00' }).editedAt).toBe('2026-01-01T10:00:01.500000Z');
    expect(read({ edited_timestamp: '2026-01-01T10:00:01+00:00' }).editedAt).toBe('2026-01-01T10:00:01.000000Z');
    expect(read({ edited_timestamp: '2026-01-01T12:00:01.000042+02:00' }).editedAt).toBe('2026-01-01T10:00:01.000042Z');
    expect(read()).not.toHaveProperty('editedAt');
  });

  it('says where it comes from as hosts already know it', () => {
    expect(read().origin).toEqual({
      source: 'discord',
      messageId: '5',
      guildId: '1',
      guildName: 'Home',
      channelId: '2',
      mcplChannelId: 'discord:1:2',
      channelName: 'general',
      authorId: '3',
      authorName: 'alice',
      isMention: false,
      isExplicitMention: false,
      isReplyToBot: false,
      isBot: false,
      isDM: false,
    });
    expect(read({}, { ...PLACE, guildId: undefined }).addressing.direct).toBe(true);
  });
});
