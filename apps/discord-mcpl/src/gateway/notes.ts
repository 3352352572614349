import type { Note } from '@mcpl-bridges/chat';
import { shownName } from '@mcpl-bridges/chat';
import type { AnyThreadChannel, Client } from 'discord.js';
import { mcplChannelId } from '../channel-ids.js';
import type { LeavingPacket } from './packets.js';

/** A note, and the channel whose turn it is told in. */
export interface PlacedNote {
  readonly lane: string;
  readonly note: Note;
}

/** Whether a thread was archived or taken up again between the two. */
export const threadNote = (before: AnyThreadChannel, after: AnyThreadChannel, at: string): PlacedNote | undefined => {
  if (before.archived === after.archived) return undefined;
  const text = after.archived
    ? `the thread was archived${after.locked ? ' and locked' : ''}`
    : 'the thread is open again';
  const since = after.archiveTimestamp ?? Date.parse(at);
  const key = `${after.archived ? 'archived' : 'opened'}:${since}`;
  return { lane: after.id, note: { channelId: mcplChannelId(after.guildId, after.id), key, text, at } };
};

/**
 * Who left, where a server says who joined. Discord gives no time: who leaves twice within a minute, unknown to us when he
 * joined, left once.
 */
export const leaveNote = (client: Client<true>, { d }: LeavingPacket, at: string): PlacedNote | undefined => {
  const guild = client.guilds.cache.get(d.guild_id);
  const lane = guild?.systemChannelId;
  if (!guild || !lane || d.user.id === client.user.id) return undefined;
  const member = guild.members.cache.get(d.user.id);
  const name = member?.nickname ?? d.user.global_name ?? d.user.username;
  const key = `left:${d.user.id}:${member?.joinedTimestamp ?? at.slice(0, 16)}`;
  const text = `${shownName(name)} left the server`;
  return { lane, note: { channelId: mcplChannelId(guild.id, lane), key, text, at } };
};
